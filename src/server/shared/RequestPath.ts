/** Paths of request targets. Clients choose them, so they are read in linear time: `/\/+$/` takes the square of the slashes. */

const SLASH = "/"

/** The text without slashes at its end. */
const withoutEndSlashes = (text: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === SLASH) end--
  return text.slice(0, end)
}

/** The path of a request target without its query and without slashes at the end. */
export const of = (target: string): string => {
  const end = target.search(/[?#]/)
  return withoutEndSlashes(end === -1 ? target : target.slice(0, end))
}
