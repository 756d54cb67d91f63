import { UnreadableFile } from '@back-office/media';

/** Maximum number of elements, counting an element once for each reference to it. */
const MAX_RENDERED_ELEMENTS = 1_000_000;
const MAX_CHAIN_LENGTH = 500;
/** Maximum number of pairs of a class and an id in style rules. */
const MAX_STYLE_REFERENCES = 100_000;
const MAX_FOLLOWED_REFERENCES = 1_000_000;

interface Group {
  elements: number;
  /** Counts by key: references to `#id`, uses of the class `.name`, and elements (`*`). */
  readonly referenceCounts: Map<string, number>;
}

/**
 * Calculates the rendering cost of a drawing, because nested references can multiply the elements of a small file.
 * Elements without an id belong to their nearest ancestor with an id.
 */
export class DrawingCost {
  private readonly groups = new Map<string, Group>();
  private readonly openGroups: Group[] = [newGroup()];
  private readonly idsByClass = new Map<string, Set<string>>();
  private styleReferenceCount = 0;
  private followedReferenceCount = 0;
  private readonly targets = new Map<string, readonly Group[]>();

  enter(id: string | undefined, classes: readonly string[], references: readonly string[]): void {
    const parentGroup = this.innermost();
    // A reference points to the first element with the id.
    const isNewGroup = id !== undefined && !this.groups.has(id);
    const group = isNewGroup ? newGroup() : parentGroup;
    if (isNewGroup) {
      this.groups.set(id, group);
      countReference(parentGroup, `#${id}`);
    }
    this.openGroups.push(group);
    group.elements += 1;
    for (const key of [...classes.map((name) => `.${name}`), ...references.map((name) => `#${name}`), '*'])
      countReference(group, key);
  }

  leave(): void {
    this.openGroups.pop();
  }

  /** Counts the references of a style rule. A selector without a class may match any element. */
  style(selector: string, references: readonly string[]): void {
    if (references.length === 0) return;
    for (const part of selector.split(',')) {
      const classes = part.match(/\.[\w\u0080-\uffff-]+/g) ?? ['*'];
      for (const key of new Set(classes)) {
        this.styleReferenceCount += references.length;
        if (this.styleReferenceCount > MAX_STYLE_REFERENCES) throw new UnreadableFile('Too many references in styles');
        const ids = this.idsByClass.get(key) ?? new Set();
        for (const id of references) ids.add(id);
        this.idsByClass.set(key, ids);
      }
    }
  }

  /** Throws {@link UnreadableFile} when the cost is too high. */
  check(): void {
    const knownCosts = new Map<Group, number>();
    for (const group of [this.innermost(), ...this.groups.values()]) this.costOf(group, knownCosts, 0);
  }

  private innermost(): Group {
    return this.openGroups.at(-1) ?? newGroup();
  }

  private costOf(group: Group, knownCosts: Map<Group, number>, chainLength: number): number {
    const knownCost = knownCosts.get(group);
    if (knownCost !== undefined) return knownCost;
    if (chainLength > MAX_CHAIN_LENGTH) throw new UnreadableFile('References are nested too deeply');
    // A group costs nothing within itself, because viewers do not render an element within itself.
    knownCosts.set(group, 0);
    let cost = group.elements;
    for (const [key, referenceCount] of group.referenceCounts) {
      const targets = this.targetsOf(key);
      this.followedReferenceCount += 1 + targets.length;
      for (const target of targets) cost += referenceCount * this.costOf(target, knownCosts, chainLength + 1);
      if (cost > MAX_RENDERED_ELEMENTS || this.followedReferenceCount > MAX_FOLLOWED_REFERENCES)
        throw new UnreadableFile('Too many references in a drawing');
    }
    knownCosts.set(group, cost);
    return cost;
  }

  private targetsOf(key: string): readonly Group[] {
    const knownTargets = this.targets.get(key);
    if (knownTargets) return knownTargets;
    const ids = key.startsWith('#') ? [key.slice(1)] : [...(this.idsByClass.get(key) ?? [])];
    const targets = ids.map((id) => this.groups.get(id)).filter((group) => group !== undefined);
    this.targets.set(key, targets);
    return targets;
  }
}

function newGroup(): Group {
  return { elements: 0, referenceCounts: new Map() };
}

function countReference(group: Group, key: string): void {
  group.referenceCounts.set(key, (group.referenceCounts.get(key) ?? 0) + 1);
}
