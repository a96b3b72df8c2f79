/**
 * Reads OFAC's SDN list (SDN.XML) piece by piece, so that a list of any length needs little memory. It keeps every "Digital Currency
 * Address" that is an EVM address. OFAC names the currency in `idType`. An address may be listed under several.
 */
import { Result } from "effect"
import * as Address from "../../domain/Address.ts"
import type { SanctionsList } from "../../domain/SanctionsList.ts"

const SDN_ADDRESS =
  /<idType>\s*Digital Currency Address[^<]*<\/idType>\s*<idNumber>\s*(0x[0-9a-fA-F]{40})\s*<\/idNumber>/g

/** The listed EVM addresses of a text, as they are written. */
const addressesIn = (xml: string): ReadonlyArray<string> =>
  Array.from(xml.matchAll(SDN_ADDRESS), ([, address = ""]) => address)

/** OFAC writes month, day and year. */
const PUBLISHED = /<Publish_Date>\s*(\d{2})\/(\d{2})\/(\d{4})\s*<\/Publish_Date>/

/** An identifier. Text after the last complete one is kept for the next piece. */
const BEGIN = "<id>"
const END = "</id>"
/** Root element. A list that was cut off has no end of it, and an error page has no beginning. */
const ROOT = "<sdnList"
const ROOT_END = "</sdnList>"

/** Longest identifier. Real ones are shorter than 500 characters. */
const LONGEST_ID = 65_536

/** The date and the beginning of the root element are within the first characters. */
const HEAD = 4_096

/** Begins to read a list. `push` returns false once the text cannot be a list. `finish` returns it, or the reason that it is none. */
export const reader = () => {
  const found = new Set<Address.Address>()
  let head = ""
  /** Text that is not read yet: an identifier that has not ended, or the last characters. */
  let rest = ""
  let isTooLong = false
  let hasEnded = false

  return {
    push: (piece: string): boolean => {
      if (head.length < HEAD) head += piece.slice(0, HEAD - head.length)
      const text = rest + piece
      const end = text.lastIndexOf(END)
      const complete = end === -1 ? "" : text.slice(0, end + END.length)
      for (const address of addressesIn(complete)) found.add(Address.of(address))
      const open = text.slice(complete.length)
      const begin = open.indexOf(BEGIN)
      rest = begin === -1 ? open.slice(-ROOT_END.length) : open.slice(begin)
      isTooLong ||= rest.length > LONGEST_ID
      hasEnded ||= open.includes(ROOT_END)
      return !isTooLong && (head.length < HEAD || head.includes(ROOT))
    },
    finish: (): Result.Result<SanctionsList, string> => {
      if (isTooLong) return Result.fail("it has an identifier without an end")
      if (!head.includes(ROOT)) return Result.fail("it is no SDN list")
      if (!hasEnded) return Result.fail("it is cut off")
      const [, month, day, year] = PUBLISHED.exec(head) ?? []
      return Result.succeed({
        addresses: found,
        publishedOn: year === undefined ? undefined : `${year}-${month}-${day}`
      })
    }
  }
}
