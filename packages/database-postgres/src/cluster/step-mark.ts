const START = ' /* step of a statement: ';

export function stepMark(name: string): string {
  return `${START}${name} */`;
}

/** Returns true for a step that is not the last one of its statement. */
export function isInnerStep(text: string): boolean {
  return text.includes(START);
}
