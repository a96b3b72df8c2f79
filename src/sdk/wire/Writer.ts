/** Writes JSON bodies from the members of requests. */

/** JSON of a value: integers of any size are decimal strings. */
type Written<Value> = Value extends bigint ? string : Exclude<Value, undefined>

/** Returns the named members of an object as JSON, without those that are undefined. */
export const write = <A extends object, Name extends keyof A & string>(
  from: A,
  ...names: ReadonlyArray<Name>
): { [Key in keyof Pick<A, Name>]: Written<A[Key]> } =>
  Object.fromEntries(
    names
      .filter((name) => from[name] !== undefined)
      .map((name) => [name, typeof from[name] === "bigint" ? `${from[name]}` : from[name]])
  ) as never
