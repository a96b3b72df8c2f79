/** Shortens a long identifier to its ends: `0xf39F…2266`. */
export const shorten = (text: string, head = 6, tail = 4): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
