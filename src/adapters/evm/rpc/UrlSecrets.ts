/** Hides what is secret in an endpoint's URL, since nodes repeat requests and keys in their error texts, and these are logged. */

/** Shorter parts of a path are words such as `v2` or `mainnet`. Keys are longer. */
const SHORTEST_KEY = 12

const HIDDEN = "[hidden]"

/** Host of a URL, which names an endpoint in logs and errors. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "invalid URL")

/** Text as it stands in a URL, and decoded. */
const forms = (text: string): ReadonlyArray<string> => {
  try {
    return [text, decodeURIComponent(text)]
  } catch {
    return [text]
  }
}

/** Parts of a URL that may be a key: long parts of its path, the values of its query, and its password. Longest first. */
const secretsOf = (url: string): ReadonlyArray<string> => {
  if (!URL.canParse(url)) return []
  const { password, pathname, search, username } = new URL(url)
  const values = search
    .slice(1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1))
  const parts = [...pathname.split("/"), username, password, ...values]
  return [...new Set(parts.flatMap(forms))]
    .filter(({ length }) => length >= SHORTEST_KEY)
    .toSorted((a, b) => b.length - a.length)
}

/** Makes `hide(text)`. It returns the same text if nothing is secret in it. */
export const hiding = (url: string): ((text: string) => string) => {
  const secrets = secretsOf(url)
  return (text) =>
    secrets.reduce((hidden, secret) => (hidden.includes(secret) ? hidden.replaceAll(secret, HIDDEN) : hidden), text)
}
