/** Numbers that the command line of a benchmark sets. */
import { parseArgs } from "node:util"

/** Values of `--name NUMBER` by the names and the defaults. Fails for any other option. */
export const numbers = <Name extends string>(
  defaults: Readonly<Record<Name, number>>
): Readonly<Record<Name, number>> => {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" as const }]))
  const { values } = parseArgs({ options })
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
  return { ...defaults, ...given }
}
