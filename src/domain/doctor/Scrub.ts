/** Removes secrets from the text of findings, as the last line of defence: no finding names one in the first place. Pure. */
import type { Finding } from "./Finding.ts"

/** Shorter texts occur by chance, and are no secrets. */
const MIN_LENGTH = 6

const HIDDEN = "<hidden>"

/** Makes the function that replaces every secret in a text, the longest first. */
export const scrubber = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const known = [...new Set(secrets)]
    .filter(({ length }) => length >= MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length)
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text)
}

export const scrubbed = (finding: Finding, scrub: (text: string) => string): Finding => ({
  ...finding,
  subject: scrub(finding.subject),
  seen: scrub(finding.seen),
  advice: scrub(finding.advice)
})

/** Parts of a URL that may be secret: its user, its password, long parts of its path, and values of its query. */
export const secretsOfUrl = (text: string): ReadonlyArray<string> => {
  if (!URL.canParse(text)) return [text]
  const { password, pathname, searchParams, username } = new URL(text)
  return [decoded(password), decoded(username), ...pathname.split("/").filter(isLong), ...searchParams.values()].filter(
    (part) => part !== ""
  )
}

const isLong = ({ length }: string): boolean => length >= 12

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
