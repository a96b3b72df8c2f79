/** Secrets of a test, and the search for them in everything that a service says. */

/** A secret with a name for the report. */
export interface Canary {
  readonly name: string
  readonly secret: string
}

/** Part of the base64 text of a secret that is the same wherever in a text the secret stands. */
const base64Forms = (secret: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), secret])
      .toString("base64")
      .replace(/=+$/, "")
    // The first and the last letters depend on the neighbours.
    return shifted.slice(Math.ceil((offset * 4) / 3), -2)
  })

const hexDigits = (secret: string): string | undefined => /^(?:0x)?([0-9a-f]{16,})$/i.exec(secret)?.[1]

/** The secret as text, hex, base64, base64url and URL-encoded. A key in hex is searched as its digits and as its bytes. */
export const formsOf = (secret: string): ReadonlyArray<string> => {
  const digits = hexDigits(secret)
  const bytes = [Buffer.from(secret), ...(digits === undefined ? [] : [Buffer.from(digits, "hex")])]
  return [
    digits ?? secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("hex"),
    ...bytes.flatMap(base64Forms).flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")])
  ].map((form) => form.toLowerCase())
}

/** Names of the canaries in a text, each with the text around it. Letters count as the same in both cases. */
export const leaksIn = (text: string, canaries: ReadonlyArray<Canary>): ReadonlyArray<string> => {
  const searched = text.toLowerCase()
  return canaries.flatMap(({ name, secret }) => {
    const form = formsOf(secret).find((each) => searched.includes(each))
    if (form === undefined) return []
    const at = searched.indexOf(form)
    return [`${name}: …${text.slice(Math.max(0, at - 150), at + form.length + 50)}…`]
  })
}
