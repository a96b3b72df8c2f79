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
  vaultLane: warning(
    "builder_vault_is_lane",
    "builder fees go to a lane, whose key is in the service",
    "Use an account of its own as builderVault, and name the former one in formerVaults."
  ),
  vaultSanctioned: error(
    "builder_vault_sanctioned",
    "the sanctions oracle lists the builders' vault",
    "Use another builderVault, and name the former one in formerVaults."
  ),
  uncontrolled: error(
    "fee_account_is_contract",
    "fees go to a contract or a token of the chain's entry, from which nobody can take them",
    "Use an account whose key you have, or a Safe."
  ),
  codeDiffers: warning(
    "fee_account_code_differs",
    "an account of fees is a contract on one served chain and has no code on another, where its owners may not control it",
    "Deploy the contract at this address on the other chain, such as a Safe with the same owners, or use another account there."
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
  /** Contracts and tokens of the chain's entry, by their field or symbol. */
  readonly contracts: ReadonlyArray<{ readonly field: string; readonly address: string }>
  /** Account of the treasury's key; undefined without a key. */
  readonly keyAccount: string | undefined
  /** Undefined if the oracle did not answer. */
  readonly isSanctioned: boolean | undefined
  /** Undefined if the oracle did not answer about the vault. */
  readonly isVaultSanctioned: boolean | undefined
}

const DELEGATION = /^0xef0100/i

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const when = (condition: boolean, kind: Kind, subject: string, seen: string): ReadonlyArray<Finding> =>
  condition ? [found(kind, subject, seen)] : []

/** An account of fees that is one of the entry's contracts or tokens. */
const uncontrolled = (
  { chain, contracts }: FeeRecipientFacts,
  name: string,
  address: string
): ReadonlyArray<Finding> => {
  const contract = contracts.find((each) => isSame(each.address, address))
  return contract === undefined ? [] : [found(kinds.uncontrolled, chain, `${name} ${address} is ${contract.field}`)]
}

/** Judges the vault, unless it is the fee recipient, which is judged already. */
const judgeVault = (facts: FeeRecipientFacts): ReadonlyArray<Finding> => {
  const { address, chain, vault } = facts
  if (isSame(vault, address)) return []
  const isLane = facts.lanes.some((lane) => isSame(lane, vault))
  return [
    ...when(isLane, kinds.vaultLane, chain, `${vault} is a lane`),
    ...when(facts.isVaultSanctioned === true, kinds.vaultSanctioned, chain, `${vault} is listed`),
    ...uncontrolled(facts, "builderVault", vault)
  ]
}

export const judge = (facts: FeeRecipientFacts): ReadonlyArray<Finding> => {
  const { address, chain, code, keyAccount } = facts
  const is = (condition: boolean, kind: Kind, seen: string) => when(condition, kind, chain, seen)
  const same = (other: string) => isSame(other, address)
  const findings = [
    ...is(facts.lanes.some(same), kinds.lane, `${address} is a lane`),
    ...is(facts.hasAsset && same(facts.vault), kinds.vault, `${address} is builderVault as well`),
    ...is(facts.isSanctioned === true, kinds.sanctioned, `${address} is listed`),
    ...uncontrolled(facts, "feeRecipient", address),
    ...judgeVault(facts),
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

/** An account to which fees of a chain go. */
export interface FeeAccount {
  readonly chain: string
  readonly address: string
  readonly code: string
}

/** Judges accounts that receive fees on several chains. A delegated account has a key, which controls it everywhere. */
export const judgeAcross = (accounts: ReadonlyArray<FeeAccount>): ReadonlyArray<Finding> =>
  [...Map.groupBy(accounts, ({ address }) => address.toLowerCase()).values()].flatMap((same) => {
    const { contract = [], account = [] } = Object.groupBy(same, ({ code }) =>
      code === "0x" || DELEGATION.test(code) ? "account" : "contract"
    )
    const [first] = same
    if (first === undefined || contract.length === 0 || account.length === 0) return []
    const names = (all: ReadonlyArray<FeeAccount>) => [...new Set(all.map(({ chain }) => chain))].join(", ")
    return [
      found(
        kinds.codeDiffers,
        names(account),
        `${first.address} is a contract on ${names(contract)}, and has no code of its own here`
      )
    ]
  })
