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
  resolveColumn,
  findColumns,
  elementsOf,
  inferName,
  isStar,
  nameOf,
  findOwners,
  findQuery,
  rename,
  aliasOf,
  textOf,
  type Scope,
  type RowSource,
} from './statement-names.js';
import {
  column,
  constant,
  tiesToSources,
  parameter,
  commonTies,
  tiesOfEqual,
  type Tie,
  type Value,
} from './tied-values.js';

export type Tables = ReadonlyMap<string, readonly string[]>;

export interface Write {
  readonly table: RowSource;
  readonly columns: readonly (string | undefined)[];
  readonly isNew: boolean;
}

type Reader = (body: never, outer: Scope | undefined) => RowSource;

/**
 * Reads the syntax tree of one statement. Collects the tables that the statement uses, and the columns and values that
 * its conditions make equal.
 */
export class StatementReader {
  readonly uses: RowSource[] = [];
  readonly ties: Tie[] = [];
  readonly writes: Write[] = [];
  private readonly outputs = new Map<object, RowSource>();
  private lastId = 0;

  private readonly readers: Readonly<Record<string, Reader>> = {
    SelectStmt: (body, outer) => this.readSelect(body, outer),
    InsertStmt: (body, outer) => this.readInsert(body, outer),
    UpdateStmt: (body, outer) => this.readUpdate(body, outer),
    DeleteStmt: (body, outer) => this.readDelete(body, outer),
  };

  constructor(private readonly tables: Tables) {}

  /** Returns false when the kind of statement is not supported. */
  read(statement: Node): boolean {
    const isRead = Object.keys(statement).some((kind) => kind in this.readers);
    if (isRead) this.readQuery(statement, undefined);
    return isRead;
  }

  private readQuery(node: Node, outer: Scope | undefined): RowSource {
    const [[kind, body] = ['', {}]] = Object.entries(node) as [string, object][];
    const output = this.outputs.get(body) ?? this.readers[kind]?.(body as never, outer) ?? this.makeSource('', []);
    this.outputs.set(body, output);
    return output;
  }

  private readSelect(body: SelectStmt, outer: Scope | undefined): RowSource {
    const scope = this.openScope(outer, body.withClause);
    if (body.larg && body.rarg) return this.readSetOperation(body, [body.larg, body.rarg], scope);
    this.readFrom(body.fromClause, body.whereClause, scope);
    this.readNested(body, scope);
    if (body.valuesLists) return this.readValues(body.valuesLists, scope);
    return this.readOutput(body.targetList, scope);
  }

  private readSetOperation(body: SelectStmt, halves: readonly SelectStmt[], scope: Scope): RowSource {
    const outputs = halves.map((half) => this.readSelect(half, scope));
    this.readNested(body, scope);
    const output = this.makeSource('', outputs[0]?.columns ?? []);
    for (const position of output.columns.keys())
      this.ties.push({ from: outputs.map(({ id }) => column(id, position)), to: column(output.id, position) });
    return output;
  }

  private readValues(rows: readonly Node[], scope: Scope): RowSource {
    const lists = rows.map((row) => ('List' in row ? (row.List.items ?? []) : []));
    const output = this.makeSource('', lists[0]?.map((_, position) => `column${position + 1}`) ?? []);
    for (const position of output.columns.keys()) {
      const values = lists.map((list) => this.valuesOf(list[position], scope));
      this.addTie(output, position, values.includes(undefined) ? undefined : values.flatMap((value) => value ?? []));
    }
    return output;
  }

  private readInsert(body: InsertStmt, outer: Scope | undefined): RowSource {
    const scope = this.openScope(outer, body.withClause);
    const source = body.selectStmt && this.readQuery(body.selectStmt, scope);
    const target = this.readTable(body.relation, scope);
    const excluded = this.makeSource('excluded', target.columns);
    const columns = (body.cols ?? []).map(nameOf);
    this.writes.push({ table: target, columns, isNew: true });
    for (const [position, name] of columns.entries()) {
      const from = source && [column(source.id, position)];
      for (const rowSource of [target, excluded]) this.addTie(rowSource, rowSource.columns.indexOf(name), from);
    }
    this.recordUpdate(target, body.onConflictClause?.targetList);
    this.readNested(body.onConflictClause, { outer: scope, sources: [excluded], queries: new Map() });
    this.readNested(body, scope);
    return this.readOutput(body.returningClause?.exprs, scope);
  }

  private readUpdate(body: UpdateStmt, outer: Scope | undefined): RowSource {
    const scope = this.openScope(outer, body.withClause);
    this.recordUpdate(this.readTable(body.relation, scope), body.targetList);
    this.readFrom(body.fromClause, body.whereClause, scope);
    this.readNested(body, scope);
    return this.readOutput(body.returningClause?.exprs, scope);
  }

  private readDelete(body: DeleteStmt, outer: Scope | undefined): RowSource {
    const scope = this.openScope(outer, body.withClause);
    this.readTable(body.relation, scope);
    this.readFrom(body.usingClause, body.whereClause, scope);
    this.readNested(body, scope);
    return this.readOutput(body.returningClause?.exprs, scope);
  }

  private recordUpdate(table: RowSource, targets: readonly Node[] | undefined): void {
    if (targets) this.writes.push({ table, columns: targets.map(nameOf), isNew: false });
  }

  private openScope(outer: Scope | undefined, clause: WithClause | undefined): Scope {
    const scope: Scope = { outer, sources: [], queries: new Map() };
    for (const node of clause?.ctes ?? []) {
      if (!('CommonTableExpr' in node)) continue;
      const { ctename = '', ctequery, aliascolnames } = node.CommonTableExpr;
      if (clause?.recursive) scope.queries.set(ctename, this.makeSource(ctename, []));
      if (ctequery) scope.queries.set(ctename, rename(this.readQuery(ctequery, scope), ctename, aliascolnames));
    }
    return scope;
  }

  private readFrom(items: readonly Node[] | undefined, where: Node | undefined, scope: Scope): void {
    for (const item of items ?? []) this.readSource(item, scope);
    // Applies the condition only to sources of this scope, because it does not hold for all rows of outer scopes.
    this.ties.push(...tiesToSources(scope.sources, this.readCondition(where, scope)));
  }

  private readSource(node: Node, scope: Scope): readonly RowSource[] {
    if ('RangeVar' in node) return [this.readRelation(node.RangeVar, scope)];
    if ('JoinExpr' in node) return this.readJoin(node.JoinExpr, scope);
    if ('RangeTableSample' in node && node.RangeTableSample.relation)
      return this.readSource(node.RangeTableSample.relation, scope);
    if ('RangeSubselect' in node && node.RangeSubselect.subquery) {
      const { subquery, alias } = node.RangeSubselect;
      return [this.addSource(scope, rename(this.readQuery(subquery, scope), alias?.aliasname ?? '', alias?.colnames))];
    }
    this.readNested(node, scope);
    const [name, columns] = 'RangeFunction' in node ? aliasOf(node.RangeFunction) : (['', []] as const);
    return [this.addSource(scope, this.makeSource(name, columns))];
  }

  private readRelation(relation: RangeVar, scope: Scope): RowSource {
    const { schemaname, relname = '', alias } = relation;
    const query = schemaname === undefined ? findQuery(relname, scope) : undefined;
    if (!query) return this.readTable(relation, scope);
    return this.addSource(scope, this.copySource(rename(query, alias?.aliasname ?? relname, alias?.colnames)));
  }

  private readTable(relation: RangeVar | undefined, scope: Scope): RowSource {
    const { schemaname = 'public', relname = '', alias } = relation ?? {};
    const columns = schemaname === 'public' ? this.tables.get(relname) : undefined;
    const table = { ...this.makeSource(alias?.aliasname ?? relname, columns ?? []), table: relname };
    if (columns) this.uses.push(table);
    return this.addSource(scope, rename(table, table.name, alias?.colnames));
  }

  /** The condition of an outer join applies only to its optional side. */
  private readJoin({ larg, rarg, jointype, quals, usingClause }: JoinExpr, scope: Scope): readonly RowSource[] {
    const left = larg ? this.readSource(larg, scope) : [];
    const right = rarg ? this.readSource(rarg, scope) : [];
    const joinedSources = [...left, ...right];
    const boundSources = { JOIN_INNER: joinedSources, JOIN_LEFT: right, JOIN_RIGHT: left }[String(jointype)] ?? [];
    const names = (usingClause ?? []).map(textOf);
    const tiesOfUsing = names.flatMap((name) => tiesOfEqual(findColumns(left, name), findColumns(right, name)));
    this.ties.push(...tiesToSources(boundSources, [...this.readCondition(quals, scope), ...tiesOfUsing]));
    this.readNested(quals, scope);
    return joinedSources;
  }

  private readCondition(condition: Node | undefined, scope: Scope): Tie[] {
    if (!condition) return [];
    if ('A_Expr' in condition) return this.readComparison(condition.A_Expr, scope);
    if ('SubLink' in condition) return this.readSubLink(condition.SubLink, scope);
    if (!('BoolExpr' in condition)) return [];
    const { boolop, args = [] } = condition.BoolExpr;
    const parts = args.map((part) => this.readCondition(part, scope));
    if (boolop === 'AND_EXPR') return parts.flat();
    return boolop === 'OR_EXPR' ? commonTies(parts) : [];
  }

  private readComparison({ kind, name = [], lexpr, rexpr }: A_Expr, scope: Scope): Tie[] {
    if (!lexpr || !rexpr || textOf(name[0]) !== '=') return [];
    if (kind === 'AEXPR_OP') return this.tieElements(elementsOf(lexpr), elementsOf(rexpr), scope);
    if (kind !== 'AEXPR_IN' || !('List' in rexpr)) return [];
    const items = rexpr.List.items ?? [];
    return commonTies(items.map((item) => this.tieElements(elementsOf(lexpr), elementsOf(item), scope)));
  }

  private tieElements(left: readonly Node[], right: readonly Node[], scope: Scope): Tie[] {
    return left.flatMap((element, position) =>
      tiesOfEqual(this.valuesOf(element, scope), this.valuesOf(right[position], scope)),
    );
  }

  private readSubLink({ subLinkType, operName, testexpr, subselect }: SubLink, scope: Scope): Tie[] {
    const isEqual = operName === undefined || textOf(operName[0]) === '=';
    const returnsRow = subLinkType === 'ANY_SUBLINK' || subLinkType === 'ROWCOMPARE_SUBLINK';
    if (!isEqual || !returnsRow || !testexpr || !subselect) return [];
    const { id } = this.readQuery(subselect, scope);
    return elementsOf(testexpr).flatMap((element, position) =>
      tiesOfEqual(this.valuesOf(element, scope), [column(id, position)]),
    );
  }

  /** Returns `undefined` unless the expression is a column, parameter, constant or scalar subquery. */
  private valuesOf(expression: Node | undefined, scope: Scope): readonly Value[] | undefined {
    if (!expression) return undefined;
    if ('ParamRef' in expression) return [parameter(expression.ParamRef.number ?? 0)];
    if ('A_Const' in expression) return [constant(JSON.stringify({ ...expression.A_Const, location: 0 }))];
    if ('TypeCast' in expression) return this.valuesOf(expression.TypeCast.arg, scope);
    if ('ColumnRef' in expression) return resolveColumn(expression.ColumnRef, scope);
    if (!('SubLink' in expression) || expression.SubLink.subLinkType !== 'EXPR_SUBLINK') return undefined;
    const { subselect } = expression.SubLink;
    return subselect && [column(this.readQuery(subselect, scope).id, 0)];
  }

  private readOutput(targets: readonly Node[] | undefined, scope: Scope): RowSource {
    const columns = (targets ?? []).flatMap((target) => this.outputColumns(target, scope));
    const names = columns.map(([name]) => name);
    const output = this.makeSource('', names);
    for (const [position, [, values]] of columns.entries()) this.addTie(output, position, values);
    return output;
  }

  private outputColumns(target: Node, scope: Scope): [string | undefined, (readonly Value[] | undefined)?][] {
    const { name, val } = 'ResTarget' in target ? target.ResTarget : {};
    if (!val || !isStar(val)) return [[name ?? inferName(val), this.valuesOf(val, scope)]];
    const sources = findOwners(val.ColumnRef, scope);
    return sources.flatMap(({ id, columns }) =>
      [...columns.entries()].map(([position, columnName]) => [columnName, [column(id, position)]]),
    );
  }

  /** Skips queries of FROM and WITH, because they are read where they define names. */
  private readNested(tree: unknown, scope: Scope): void {
    if (typeof tree !== 'object' || tree === null) return;
    for (const [key, part] of Object.entries(tree)) {
      if (key in this.readers) this.readQuery({ [key]: part as object } as Node, scope);
      else if (!READ_IN_ORDER.has(key)) this.readNested(part, scope);
    }
  }

  private addTie(source: RowSource, position: number, from: readonly Value[] | undefined): void {
    if (from && position >= 0) this.ties.push({ from, to: column(source.id, position) });
  }

  private copySource(source: RowSource): RowSource {
    const copy = this.makeSource(source.name, source.columns);
    for (const position of source.columns.keys()) this.addTie(copy, position, [column(source.id, position)]);
    return copy;
  }

  private makeSource(name: string, columns: readonly (string | undefined)[]): RowSource {
    return { id: (this.lastId += 1), name, columns };
  }

  private addSource(scope: Scope, source: RowSource): RowSource {
    scope.sources.push(source);
    return source;
  }
}

const READ_IN_ORDER = new Set(['larg', 'rarg', 'withClause', 'fromClause', 'usingClause']);
