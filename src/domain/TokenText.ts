/** Symbols and names of tokens, which anybody chooses: made safe to show, and compared as a reader sees them. */

const MAX_SYMBOL = 32
const MAX_NAME = 64

/** Replaces a text that is missing or has no printable characters. */
export const UNNAMED = "UNKNOWN"

/** Longer texts are cut before they are looked at. */
const MAX_READ = 1_024

/** Characters that are letters or marks to Unicode, and that a reader does not see: fillers, variation selectors and the empty Braille cell. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Marks over and under a letter beyond those that languages write, which cover the lines around them. */
const STACKED = /(\p{M}{3})\p{M}+/gu

/**
 * Removes characters that can spoof a layout: controls, bidirectional marks, joiners, private use, undecodable bytes, and what is
 * invisible or stacked. Keeps at most `length` characters.
 */
const printable = (text: string, length: number): string => {
  const plain = text
    .slice(0, MAX_READ)
    .normalize("NFC")
    .replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, "")
    .replace(INVISIBLE, "")
    .replace(STACKED, "$1")
    .replace(/\s+/g, " ")
    .trim()
  return Array.from(plain).slice(0, length).join("").trim() || UNNAMED
}

export const symbol = (text: string): string => printable(text, MAX_SYMBOL)

export const name = (text: string): string => printable(text, MAX_NAME)

/**
 * Characters of other alphabets, digits and signs that look like a letter of the Latin alphabet, by that letter, after compatibility
 * forms, case and accents are removed.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "аαᴀ",
  b: "вβʙƀɓ₿",
  c: "сςꮯᴄ¢ᑕꓚ",
  d: "ԁδꭰᴅđɗᗪꓓ",
  e: "еεᴇɛ€ξ3",
  f: "ғ",
  g: "ԍց",
  h: "һнհʜħ",
  i: "іӏιɪıɩ",
  j: "ј",
  k: "кκ",
  l: "ł£1|!i",
  m: "мμ",
  n: "пηո",
  o: "оοσօø0",
  p: "рρք",
  q: "ԛ",
  r: "г",
  s: "ѕꮪꜱ$ʂꓢ5",
  t: "тτꭲᴛŧ₮ꓔ",
  u: "υսꮜᴜᑌꓴ",
  v: "ѵν",
  w: "ԝω",
  x: "хχ",
  y: "уγ",
  z: "ζ"
}

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, lookalikes]) =>
    Array.from(lookalikes, (lookalike) => [lookalike, letter] as const)
  )
)

/**
 * The text as a reader sees it: texts that are easily taken for each other have the same skeleton. Letters and digits only. Empty if it
 * has none.
 */
export const skeleton = (text: string): string => {
  const folded = text
    .slice(0, MAX_READ)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}\p{C}]/gu, "")
    .replace(INVISIBLE, "")
  let seen = ""
  for (const character of folded) seen += LETTERS.get(character) ?? character
  // The table has `i` as `l`, also for what became an `i` by it.
  return seen.replace(/i/g, "l").replace(/[^\p{L}\p{N}]/gu, "")
}
