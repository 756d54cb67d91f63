import type {
  A_Expr,
  DeleteStmt,
  InsertStmt,
  JoinExpr,
  Node,
  RangeVar,
  SelectStmt,
  SubLink,
  UpdateStmt,
  WithClause,
} from 'libpg-query';
import {
  columnNamed,
  columnsIn,
  elementsOf,
  inferredName,
  isStar,
  nameOf,
  ownersOf,
  queryNamed,
  renamed,
  shapeOf,
  textOf,
  type Level,
  type Range,
} from './statement-names.js';
import { column, constant, onlyOf, parameter, tiesOfEither, tiesOfEqual, type Tie, type Value } from './tied-values.js';

/** Columns of each table, in their order. */
export type Tables = ReadonlyMap<string, readonly string[]>;

/** An inserted or updated table and its written columns. */
export interface Write {
  readonly table: Range;
  readonly columns: readonly (string | undefined)[];
  readonly isNew: boolean;
}

type Reader = (body: never, outer: Level | undefined) => Range;

/** Reads the syntax tree of one statement: the tables it uses and the columns that its conditions equate. */
export class StatementReader {
  /** Every use of a table, at any depth. */
  readonly uses: Range[] = [];
  readonly ties: Tie[] = [];
  readonly writes: Write[] = [];
  private readonly outputs = new Map<object, Range>();
  private ranges = 0;

  private readonly readers: Readonly<Record<string, Reader>> = {
    SelectStmt: (body, outer) => this.select(body, outer),
    InsertStmt: (body, outer) => this.insert(body, outer),
    UpdateStmt: (body, outer) => this.update(body, outer),
    DeleteStmt: (body, outer) => this.delete(body, outer),
  };

  constructor(private readonly tables: Tables) {}

  /** Reads the statement; false when its kind is not supported. */
  read(statement: Node): boolean {
    const isRead = Object.keys(statement).some((kind) => kind in this.readers);
    if (isRead) this.query(statement, undefined);
    return isRead;
  }

  /** Output of a query, read once. */
  private query(node: Node, outer: Level | undefined): Range {
    const [[kind, body] = ['', {}]] = Object.entries(node) as [string, object][];
    const output = this.outputs.get(body) ?? this.readers[kind]?.(body as never, outer) ?? this.newRange('', []);
    this.outputs.set(body, output);
    return output;
  }

  private select(body: SelectStmt, outer: Level | undefined): Range {
    const level = this.level(outer, body.withClause);
    if (body.larg && body.rarg) return this.setOperation(body, [body.larg, body.rarg], level);
    this.from(body.fromClause, body.whereClause, level);
    this.inner(body, level);
    if (body.valuesLists) return this.values(body.valuesLists, level);
    return this.output(body.targetList, level);
  }

  private setOperation(body: SelectStmt, halves: readonly SelectStmt[], level: Level): Range {
    const outputs = halves.map((half) => this.select(half, level));
    this.inner(body, level);
    const output = this.newRange('', outputs[0]?.columns ?? []);
    for (const position of output.columns.keys())
      this.ties.push({ from: outputs.map(({ id }) => column(id, position)), to: column(output.id, position) });
    return output;
  }

  private values(rows: readonly Node[], level: Level): Range {
    const lists = rows.map((row) => ('List' in row ? (row.List.items ?? []) : []));
    const output = this.newRange('', lists[0]?.map((_, position) => `column${position + 1}`) ?? []);
    for (const position of output.columns.keys()) {
      const values = lists.map((list) => this.valuesOf(list[position], level));
      this.tie(output, position, values.includes(undefined) ? undefined : values.flatMap((each) => each ?? []));
    }
    return output;
  }

  private insert(body: InsertStmt, outer: Level | undefined): Range {
    const level = this.level(outer, body.withClause);
    const source = body.selectStmt && this.query(body.selectStmt, level);
    const target = this.target(body.relation, level);
    const excluded = this.newRange('excluded', target.columns);
    const columns = (body.cols ?? []).map(nameOf);
    this.writes.push({ table: target, columns, isNew: true });
    for (const [position, name] of columns.entries()) {
      const from = source && [column(source.id, position)];
      for (const range of [target, excluded]) this.tie(range, range.columns.indexOf(name), from);
    }
    this.changed(target, body.onConflictClause?.targetList);
    this.inner(body.onConflictClause, { outer: level, ranges: [excluded], queries: new Map() });
    this.inner(body, level);
    return this.output(body.returningClause?.exprs, level);
  }

  private update(body: UpdateStmt, outer: Level | undefined): Range {
    const level = this.level(outer, body.withClause);
    this.changed(this.target(body.relation, level), body.targetList);
    this.from(body.fromClause, body.whereClause, level);
    this.inner(body, level);
    return this.output(body.returningClause?.exprs, level);
  }

  private delete(body: DeleteStmt, outer: Level | undefined): Range {
    const level = this.level(outer, body.withClause);
    this.target(body.relation, level);
    this.from(body.usingClause, body.whereClause, level);
    this.inner(body, level);
    return this.output(body.returningClause?.exprs, level);
  }

  private changed(table: Range, targets: readonly Node[] | undefined): void {
    if (targets) this.writes.push({ table, columns: targets.map(nameOf), isNew: false });
  }

  private level(outer: Level | undefined, clause: WithClause | undefined): Level {
    const level: Level = { outer, ranges: [], queries: new Map() };
    for (const node of clause?.ctes ?? []) {
      if (!('CommonTableExpr' in node)) continue;
      const { ctename = '', ctequery, aliascolnames } = node.CommonTableExpr;
      // Columns of a recursive reference are unknown.
      if (clause?.recursive) level.queries.set(ctename, this.newRange(ctename, []));
      if (ctequery) level.queries.set(ctename, renamed(this.query(ctequery, level), ctename, aliascolnames));
    }
    return level;
  }

  private from(items: readonly Node[] | undefined, where: Node | undefined, level: Level): void {
    for (const item of items ?? []) this.source(item, level);
    // A condition does not hold for all rows of outer levels.
    this.ties.push(...onlyOf(level.ranges, this.equalities(where, level)));
  }

  /** Ranges of an item of FROM. */
  private source(node: Node, level: Level): readonly Range[] {
    if ('RangeVar' in node) return [this.named(node.RangeVar, level)];
    if ('JoinExpr' in node) return this.joined(node.JoinExpr, level);
    if ('RangeTableSample' in node && node.RangeTableSample.relation)
      return this.source(node.RangeTableSample.relation, level);
    if ('RangeSubselect' in node && node.RangeSubselect.subquery) {
      const { subquery, alias } = node.RangeSubselect;
      return [this.join(level, renamed(this.query(subquery, level), alias?.aliasname ?? '', alias?.colnames))];
    }
    this.inner(node, level);
    const [name, columns] = 'RangeFunction' in node ? shapeOf(node.RangeFunction) : (['', []] as const);
    return [this.join(level, this.newRange(name, columns))];
  }

  private named(relation: RangeVar, level: Level): Range {
    const { schemaname, relname = '', alias } = relation;
    const query = schemaname === undefined ? queryNamed(relname, level) : undefined;
    if (!query) return this.target(relation, level);
    return this.join(level, this.copy(renamed(query, alias?.aliasname ?? relname, alias?.colnames)));
  }

  /** A table, even when a CTE has its name. */
  private target(relation: RangeVar | undefined, level: Level): Range {
    const { schemaname = 'public', relname = '', alias } = relation ?? {};
    const columns = schemaname === 'public' ? this.tables.get(relname) : undefined;
    const plain = { ...this.newRange(alias?.aliasname ?? relname, columns ?? []), table: relname };
    if (columns) this.uses.push(plain);
    return this.join(level, renamed(plain, plain.name, alias?.colnames));
  }

  /** The condition of an outer join holds for the optional side only. */
  private joined({ larg, rarg, jointype, quals, usingClause }: JoinExpr, level: Level): readonly Range[] {
    const left = larg ? this.source(larg, level) : [];
    const right = rarg ? this.source(rarg, level) : [];
    const both = [...left, ...right];
    const bound = { JOIN_INNER: both, JOIN_LEFT: right, JOIN_RIGHT: left }[String(jointype)] ?? [];
    const names = (usingClause ?? []).map(textOf);
    const using = names.flatMap((name) => tiesOfEqual(columnsIn(left, name), columnsIn(right, name)));
    this.ties.push(...onlyOf(bound, [...this.equalities(quals, level), ...using]));
    this.inner(quals, level);
    return both;
  }

  private equalities(condition: Node | undefined, level: Level): Tie[] {
    if (!condition) return [];
    if ('A_Expr' in condition) return this.comparison(condition.A_Expr, level);
    if ('SubLink' in condition) return this.subLink(condition.SubLink, level);
    if (!('BoolExpr' in condition)) return [];
    const { boolop, args = [] } = condition.BoolExpr;
    const parts = args.map((each) => this.equalities(each, level));
    if (boolop === 'AND_EXPR') return parts.flat();
    return boolop === 'OR_EXPR' ? tiesOfEither(parts) : [];
  }

  private comparison({ kind, name = [], lexpr, rexpr }: A_Expr, level: Level): Tie[] {
    if (!lexpr || !rexpr || textOf(name[0]) !== '=') return [];
    if (kind === 'AEXPR_OP') return this.equal(elementsOf(lexpr), elementsOf(rexpr), level);
    if (kind !== 'AEXPR_IN' || !('List' in rexpr)) return [];
    const items = rexpr.List.items ?? [];
    return tiesOfEither(items.map((item) => this.equal(elementsOf(lexpr), elementsOf(item), level)));
  }

  private equal(left: readonly Node[], right: readonly Node[], level: Level): Tie[] {
    return left.flatMap((each, position) =>
      tiesOfEqual(this.valuesOf(each, level), this.valuesOf(right[position], level)),
    );
  }

  /** `(a, b) in (select …)`, `= any (select …)`, `(a, b) = (select …)`. */
  private subLink({ subLinkType, operName, testexpr, subselect }: SubLink, level: Level): Tie[] {
    const isEqual = operName === undefined || textOf(operName[0]) === '=';
    const isOne = subLinkType === 'ANY_SUBLINK' || subLinkType === 'ROWCOMPARE_SUBLINK';
    if (!isEqual || !isOne || !testexpr || !subselect) return [];
    const { id } = this.query(subselect, level);
    return elementsOf(testexpr).flatMap((each, position) =>
      tiesOfEqual(this.valuesOf(each, level), [column(id, position)]),
    );
  }

  /** Values behind a column, parameter, constant or scalar subquery; undefined for others. */
  private valuesOf(expression: Node | undefined, level: Level): readonly Value[] | undefined {
    if (!expression) return undefined;
    if ('ParamRef' in expression) return [parameter(expression.ParamRef.number ?? 0)];
    if ('A_Const' in expression) return [constant(JSON.stringify({ ...expression.A_Const, location: 0 }))];
    if ('TypeCast' in expression) return this.valuesOf(expression.TypeCast.arg, level);
    if ('ColumnRef' in expression) return columnNamed(expression.ColumnRef, level);
    if (!('SubLink' in expression) || expression.SubLink.subLinkType !== 'EXPR_SUBLINK') return undefined;
    const { subselect } = expression.SubLink;
    return subselect && [column(this.query(subselect, level).id, 0)];
  }

  private output(targets: readonly Node[] | undefined, level: Level): Range {
    const columns = (targets ?? []).flatMap((target) => this.outputColumns(target, level));
    const names = columns.map(([name]) => name);
    const output = this.newRange('', names);
    for (const [position, [, values]] of columns.entries()) this.tie(output, position, values);
    return output;
  }

  private outputColumns(target: Node, level: Level): [string | undefined, (readonly Value[] | undefined)?][] {
    const { name, val } = 'ResTarget' in target ? target.ResTarget : {};
    if (!val || !isStar(val)) return [[name ?? inferredName(val), this.valuesOf(val, level)]];
    const ranges = ownersOf(val.ColumnRef, level);
    return ranges.flatMap(({ id, columns }) =>
      [...columns.entries()].map(([position, each]) => [each, [column(id, position)]]),
    );
  }

  /** Reads nested queries, except those of FROM and WITH, which are read in order. */
  private inner(tree: unknown, level: Level): void {
    if (typeof tree !== 'object' || tree === null) return;
    for (const [key, part] of Object.entries(tree)) {
      if (key in this.readers) this.query({ [key]: part as object } as Node, level);
      else if (!READ_IN_ORDER.has(key)) this.inner(part, level);
    }
  }

  private tie(range: Range, position: number, from: readonly Value[] | undefined): void {
    if (from && position >= 0) this.ties.push({ from, to: column(range.id, position) });
  }

  private copy(range: Range): Range {
    const copied = this.newRange(range.name, range.columns);
    for (const position of range.columns.keys()) this.tie(copied, position, [column(range.id, position)]);
    return copied;
  }

  private newRange(name: string, columns: readonly (string | undefined)[]): Range {
    return { id: (this.ranges += 1), name, columns };
  }

  private join(level: Level, range: Range): Range {
    level.ranges.push(range);
    return range;
  }
}

/** Read in the order that defines names. */
const READ_IN_ORDER = new Set(['larg', 'rarg', 'withClause', 'fromClause', 'usingClause']);
