/** Writes a value as a literal of the generated code. */
export const literal = (value: string | number): string => JSON.stringify(value)

/** Writes a value, or `undefined`. */
export const optionalLiteral = (value: string | undefined): string =>
  value === undefined ? "undefined" : literal(value)
