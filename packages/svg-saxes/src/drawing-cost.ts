import { UnreadableFile } from '@back-office/media';

/** Rendered elements, counted once per reference to them. */
const MAX_DRAWN = 1_000_000;
const MAX_CHAIN = 500;

interface Group {
  drawn: number;
  /** Counts of references to `#id`, uses of the class `.name`, and elements (`*`). */
  readonly refersTo: Map<string, number>;
}

/**
 * Rendering cost of a drawing: nested references let a small file multiply its elements. Elements without an id belong
 * to their nearest ancestor with one.
 */
export class DrawingCost {
  private readonly groups = new Map<string, Group>();
  private readonly open: Group[] = [newGroup()];
  private readonly styled = new Map<string, Set<string>>();
  private readonly targets = new Map<string, readonly Group[]>();

  enter(id: string | undefined, classes: readonly string[], references: readonly string[]): void {
    const around = this.innermost();
    // References mean the first element with an id.
    const isNamed = id !== undefined && !this.groups.has(id);
    const group = isNamed ? newGroup() : around;
    if (isNamed) {
      this.groups.set(id, group);
      count(around, `#${id}`);
    }
    this.open.push(group);
    group.drawn += 1;
    for (const key of [...classes.map((name) => `.${name}`), ...references.map((name) => `#${name}`), '*'])
      count(group, key);
  }

  leave(): void {
    this.open.pop();
  }

  /** Counts a style rule; a selector without a class may match any element. */
  style(selector: string, references: readonly string[]): void {
    if (references.length === 0) return;
    for (const each of selector.split(',')) {
      const classes = each.match(/\.[\w\u0080-\uffff-]+/g) ?? ['*'];
      for (const key of classes) {
        const ids = this.styled.get(key) ?? new Set();
        for (const id of references) ids.add(id);
        this.styled.set(key, ids);
      }
    }
  }

  /** Throws {@link UnreadableFile} when the cost is too high. */
  check(): void {
    const known = new Map<Group, number>();
    for (const group of [this.innermost(), ...this.groups.values()]) this.costOf(group, known, 0);
  }

  private innermost(): Group {
    return this.open.at(-1) ?? newGroup();
  }

  private costOf(group: Group, known: Map<Group, number>, chain: number): number {
    const before = known.get(group);
    if (before !== undefined) return before;
    if (chain > MAX_CHAIN) throw new UnreadableFile('References are nested too deeply');
    // Viewers do not render an element within itself.
    known.set(group, 0);
    let cost = group.drawn;
    for (const [key, times] of group.refersTo) {
      for (const target of this.targetsOf(key)) cost += times * this.costOf(target, known, chain + 1);
      if (cost > MAX_DRAWN) throw new UnreadableFile('Too many references in a drawing');
    }
    known.set(group, cost);
    return cost;
  }

  private targetsOf(key: string): readonly Group[] {
    const found = this.targets.get(key);
    if (found) return found;
    const ids = key.startsWith('#') ? [key.slice(1)] : [...(this.styled.get(key) ?? [])];
    const targets = ids.map((id) => this.groups.get(id)).filter((group) => group !== undefined);
    this.targets.set(key, targets);
    return targets;
  }
}

function newGroup(): Group {
  return { drawn: 0, refersTo: new Map() };
}

function count(group: Group, key: string): void {
  group.refersTo.set(key, (group.refersTo.get(key) ?? 0) + 1);
}
