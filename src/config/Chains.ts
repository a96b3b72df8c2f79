/** Settings of the chains, for all services and for the commands that use chains. */
import { Config } from "effect"
import { DEFAULT_DOMAIN_NAME, DomainName } from "../domain/SweepOrder.ts"
import { integer, optional, setting, valuesOf } from "./Setting.ts"

export const chains = {
  chainsFile: setting({
    name: "CHAINS_FILE",
    default: "chains.json",
    check: Config.NonEmptyString,
    meaning: "JSON file that lists the chains to serve."
  }),
  domainName: setting({
    name: "EIP712_DOMAIN_NAME",
    default: DEFAULT_DOMAIN_NAME,
    check: (name) => Config.schema(DomainName, name),
    meaning:
      "EIP-712 domain name of orders. The contracts contain it: after a change, deploy them again. `./sweep sweep` signs orders with it."
  }),
  defaultSourceChain: optional({
    name: "DEFAULT_SOURCE_CHAIN",
    check: integer({ from: 1, to: 999_999_999_999_999 }),
    meaning:
      "Id of the chain where a sweep starts if the route hint, the token and the owner's balances do not decide it. The builder backend assigns accruals that are reported without a chain to it."
  })
} as const

export const ChainsConfig = valuesOf(chains)
