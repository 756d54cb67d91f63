/** Values of a decoded message by field number. Bytes and nested messages are buffers; other values are numbers. */
export class ProtobufMessage {
  private readonly values = new Map<number, (Buffer | bigint)[]>();

  constructor(bytes: Buffer) {
    let position = 0;
    const readVarint = (): bigint => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes.readUInt8(position);
        position += 1;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    const take = (length: number): Buffer => {
      position += length;
      return bytes.subarray(position - length, position);
    };
    while (position < bytes.length) {
      const key = Number(readVarint());
      const wireType = key & 7;
      const sizes: Readonly<Record<number, () => Buffer | bigint>> = {
        0: readVarint,
        1: () => take(8),
        2: () => take(Number(readVarint())),
        5: () => take(4),
      };
      const read = sizes[wireType];
      if (read === undefined) throw new Error(`unknown wire type ${wireType}`);
      const field = key >> 3;
      this.values.set(field, [...(this.values.get(field) ?? []), read()]);
    }
  }

  has(field: number): boolean {
    return this.values.has(field);
  }

  messages(...path: readonly number[]): ProtobufMessage[] {
    const [field = 0, ...rest] = path;
    const found = this.buffers(field).map((bytes) => new ProtobufMessage(bytes));
    return rest.length === 0 ? found : found.flatMap((message) => message.messages(...rest));
  }

  text(field: number): string {
    return this.buffers(field)[0]?.toString('utf8') ?? '';
  }

  hex(field: number): string {
    return this.buffers(field)[0]?.toString('hex') ?? '';
  }

  integer(field: number): number {
    return Number(this.values.get(field)?.[0] ?? 0);
  }

  fixed(field: number): bigint {
    return this.buffers(field)[0]?.readBigUInt64LE() ?? 0n;
  }

  double(field: number): number {
    return this.buffers(field)[0]?.readDoubleLE() ?? 0;
  }

  packedDoubles(field: number): number[] {
    return this.packed(field).map((bytes) => bytes.readDoubleLE());
  }

  packedFixed(field: number): number[] {
    return this.packed(field).map((bytes) => Number(bytes.readBigUInt64LE()));
  }

  private packed(field: number): Buffer[] {
    return this.buffers(field).flatMap((bytes) =>
      Array.from({ length: bytes.length / 8 }, (_, index) => bytes.subarray(index * 8, index * 8 + 8)),
    );
  }

  private buffers(field: number): Buffer[] {
    return (this.values.get(field) ?? []).filter((value) => typeof value !== 'bigint');
  }
}
