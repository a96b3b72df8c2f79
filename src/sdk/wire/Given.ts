/** Returns an object to spread into a body: the member, or nothing if it is undefined. */
export const given = <const Key extends string, A>(key: Key, value: A | undefined): { readonly [Name in Key]?: A } => {
  const member: { [Name in Key]?: A } = {}
  if (value !== undefined) member[key] = value
  return member
}
