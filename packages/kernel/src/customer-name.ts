export type CustomerIdentifier =
  | { readonly id: number; readonly dataPart: number; readonly timePart: number; readonly externalRef?: undefined }
  | { readonly externalRef: string };
