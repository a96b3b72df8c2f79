/** Text that an operator searches for: an address, the hash of a transaction, or an id. */
import { Option, Schema } from "effect"
import * as Address from "./Address.ts"
import type { Hash } from "./Hex.ts"
import * as Uuid from "./Uuid.ts"

export type SearchTerm =
  | { readonly _tag: "Address"; readonly address: Address.Address }
  | { readonly _tag: "Hash"; readonly hash: Hash }
  | { readonly _tag: "Id"; readonly id: string }

/** Maximum length of a text. Longer than every id. */
export const MAX_LENGTH = 200

const decodeAddress = Schema.decodeUnknownOption(Address.Address)

const HASH = /^0x[0-9a-f]{64}$/

const SCHEME = /^https?:\/\//i

/** A link to an explorer, or to a page of this service, ends with what it shows. */
const lastPart = (text: string): string => {
  if (!SCHEME.test(text)) return text
  const path = text.replace(SCHEME, "").replace(/[?#].*$/s, "")
  return path.split("/").findLast((part) => part !== "") ?? ""
}

/** The text of a term, with addresses in their checksummed form. */
export const textOf = (term: SearchTerm): string => {
  switch (term._tag) {
    case "Address":
      return term.address
    case "Hash":
      return term.hash
    case "Id":
      return term.id
  }
}

/** Reads a text in any case, with spaces around it, or as the end of a link. Undefined if it is empty. */
export const parse = (text: string): SearchTerm | undefined => {
  const term = lastPart(text.trim()).trim().slice(0, MAX_LENGTH)
  if (term === "") return undefined
  const lower = term.toLowerCase()
  const address = decodeAddress(lower)
  if (Option.isSome(address)) return { _tag: "Address", address: address.value }
  if (HASH.test(lower)) return { _tag: "Hash", hash: lower as Hash }
  return { _tag: "Id", id: Uuid.stored(term) }
}
