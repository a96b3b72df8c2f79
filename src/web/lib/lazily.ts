/** A value that is made when it is needed first. A formatter of `Intl` costs 7 ms of CPU on a desk. */
export const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
