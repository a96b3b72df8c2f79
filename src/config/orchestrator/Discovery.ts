/** Settings of the portfolio: which tokens are looked for. */
import { Config, Schema } from "effect"
import { integer, list, POSITIVE, secret, setting } from "../Setting.ts"

const LOCATION = "expected files or http(s) URLs, separated by commas"

const Location = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const location = text.trim()
    if (location === "") return LOCATION
    return !/^[a-z]+:\/\//i.test(location) || (/^https?:/i.test(location) && URL.canParse(location)) || LOCATION
  })
)

const locations = (name: string) =>
  Config.Array(Location, name).pipe(Config.map((entries) => [...new Set(entries.map((entry) => entry.trim()))]))

export const discovery = {
  tokenLists: list({
    name: "TOKEN_LISTS",
    check: locations,
    meaning:
      "Token lists in the Uniswap format whose tokens portfolios show beside those of the chains file: files or URLs, separated by commas. Of a token on several lists, the first entry counts. At most 5,000 tokens of each chain are read."
  }),
  tokenListsRefreshHours: setting({
    name: "TOKEN_LISTS_REFRESH_HOURS",
    default: 24,
    check: integer(POSITIVE),
    meaning:
      "Time after which the token lists are read again, in hours. After a failure they are read again in five minutes."
  }),
  transferLogBlocks: setting({
    name: "TRANSFER_LOG_BLOCKS",
    default: 0,
    check: integer({ from: 0, to: 1_000_000 }),
    meaning:
      "Number of recent blocks in which portfolios look for transfers of any token to the owner, by one or more `eth_getLogs` for each owner and chain, at most once in 15 seconds. The nodes must search logs of all contracts. With 0, they are not asked."
  }),
  alchemyApiKey: secret({
    name: "ALCHEMY_API_KEY",
    meaning: "Key of Alchemy's Portfolio API, which finds tokens that no list has. If not set, it is not asked."
  }),
  goldRushApiKey: secret({
    name: "GOLDRUSH_API_KEY",
    meaning:
      "Key of GoldRush (Covalent), which finds tokens that no list has and tells spam. If not set, it is not asked."
  })
} as const
