/** Settings of the chains, for all services and for the commands that use chains. */
import { Config } from "effect"
import { DEFAULT_DOMAIN_NAME, DomainName } from "../domain/SweepOrder.ts"
import { setting, valuesOf } from "./Setting.ts"

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
    meaning: "EIP-712 domain name of orders. The contracts contain it: after a change, deploy them again."
  })
} as const

export const ChainsConfig = valuesOf(chains)
