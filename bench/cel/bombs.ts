// CEL expressions whose evaluation would take forever.

const list = '[0,1,2,3,4,5,6,7,8,9]';
const nestedAll = Array.from({ length: 10 }, (_, i) => `${list}.all(x${i}, `).join('');

/** Expressions by name; `dollar`: an expression with the value `$` that a compiler cannot fold. */
export function bombsWith(dollar: string): Readonly<Record<string, string>> {
  return {
    'nested all': `${nestedAll}true${')'.repeat(10)}`,
    'nested map': `${Array.from({ length: 7 }, (_, i) => `${list}.map(x${i}, `).join('')}x0 * x1${')'.repeat(7)}.size() > 0`,
    'matches, the pattern constant': `"${'a'.repeat(5000)}!".matches("^(a+)+$")`,
    'matches, the pattern computed': `"${'a'.repeat(5000)}!".matches("^(a+)+" + ${dollar})`,
    'matches, counted repetition': `"${'a'.repeat(5000)}!".matches("(((a{0,30}){0,30})x)+")`,
  };
}
