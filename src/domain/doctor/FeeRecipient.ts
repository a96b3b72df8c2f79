/** Judges the receivers of fees. Pure. */
import { error, type Finding, found, type Kind, ok, warning } from "./Finding.ts"

export const kinds = {
  lane: warning(
    "fee_recipient_is_lane",
    "fees go to a lane, whose key is in the service",
    "Use an account of its own as feeRecipient. It is part of the contracts' addresses."
  ),
  sanctioned: error(
    "fee_recipient_sanctioned",
    "the sanctions oracle lists the fee recipient",
    "Use another feeRecipient. It is part of the contracts' addresses."
  ),
  vault: error(
    "fee_recipient_is_vault",
    "TREASURY_ASSETS names the chain, but the fee recipient is the builders' vault, too, so nothing is sold there",
    "Remove the chain from TREASURY_ASSETS first. To sell its fees, set builderVault as docs/how-to/turn-fees-into-money.md says: what builders are owed is sold otherwise."
  ),
  otherKey: warning(
    "fee_recipient_other_key",
    "the key of the fee recipient belongs to another account, so that the treasury sells nothing on the chain",
    "Set FEE_RECIPIENT_KEY or FEE_RECIPIENT_KMS_KEY to the key of feeRecipient."
  ),
  contract: warning(
    "fee_recipient_contract",
    "the treasury has a key, but the fee recipient is a contract that cannot be delegated",
    "Unset the key. `./sweep treasury plan` prints the file that a Safe signs."
  ),
  well: ok("fee_recipient_ok", "the fee recipient is an account of its own")
}

export interface FeeRecipientFacts {
  readonly chain: string
  readonly address: string
  /** Vault that pays builders. */
  readonly vault: string
  /** True if TREASURY_ASSETS names the chain. */
  readonly hasAsset: boolean
  /** Code of the fee recipient. */
  readonly code: string
  readonly lanes: ReadonlyArray<string>
  /** Account of the treasury's key; undefined without a key. */
  readonly keyAccount: string | undefined
  /** Undefined if the oracle did not answer. */
  readonly isSanctioned: boolean | undefined
}

const DELEGATION = /^0xef0100/i

export const judge = (facts: FeeRecipientFacts): ReadonlyArray<Finding> => {
  const { address, chain, code, keyAccount } = facts
  const is = (condition: boolean, kind: Kind, seen: string) => (condition ? [found(kind, chain, seen)] : [])
  const same = (other: string) => other.toLowerCase() === address.toLowerCase()
  const findings = [
    ...is(facts.lanes.some(same), kinds.lane, `${address} is a lane`),
    ...is(facts.hasAsset && same(facts.vault), kinds.vault, `${address} is builderVault as well`),
    ...is(facts.isSanctioned === true, kinds.sanctioned, `${address} is listed`),
    ...is(
      keyAccount !== undefined && !same(keyAccount),
      kinds.otherKey,
      `the key belongs to ${keyAccount}, and fees go to ${address}`
    ),
    ...is(
      keyAccount !== undefined && same(keyAccount) && code !== "0x" && !DELEGATION.test(code),
      kinds.contract,
      `${address} has code`
    )
  ]
  return findings.length > 0 ? findings : [found(kinds.well, chain, address)]
}
