/** Judges the code at a chain's configured addresses, and the service's own contracts byte by byte. Pure. */
import { error, type Finding, found, ok, warning } from "./Finding.ts"

export const kinds = {
  noCode: error(
    "address_no_code",
    "a configured address of a contract has no code",
    "Correct the address in the chains file."
  ),
  noTokenCode: warning(
    "token_no_code",
    "a listed token has no code on its chain",
    "Correct its address in the chains file, or remove it."
  ),
  decimals: error(
    "token_decimals_differ",
    "a listed token has other decimals than its contract, so that its amounts, prices and limits are wrong by powers of ten",
    "Correct its decimals in the chains file before you serve the token."
  ),
  missing: error(
    "contract_missing",
    "a contract of the service is not deployed, so that sweeps on the chain fail",
    "Run `./sweep deploy` for the chain."
  ),
  differs: error(
    "contract_differs",
    "the code of a contract of the service is not that of this release",
    "Do not serve the chain. Check the chains file, and find out what is deployed there."
  ),
  foreign: error(
    "entry_of_other_delegate",
    "the entry contract runs accounts of another delegate, so that it skips all sweeps, and their transactions cost gas for nothing",
    "Set the entry of the same deployment in `contracts` of the chain's entry, or run `./sweep deploy` without `contracts`."
  ),
  unverified: warning(
    "contract_unverified",
    "the chains file fixes the addresses of the contracts, and a contract there has other code than that of this release",
    "Remove `contracts` from the chain's entry, unless you deployed them otherwise yourself."
  ),
  unnamedGeneration: error(
    "first_generation_unnamed",
    "the first generation of the contracts is on the chain, and the chain's entry does not name it, so that its sweeps are not followed",
    "Set `priorGuard` to its guard and run `./sweep deploy` for the chain, or list its contracts in `earlierContracts`."
  ),
  ownerAccount: warning(
    "guard_owner_account",
    "the guard's owner is a plain account, whose key alone can list targets",
    "Use a multisig. The owner is part of the contracts' addresses."
  ),
  well: ok("contracts_ok", "every configured address has code, and the service's contracts are those of this release")
}

/** `foreign`: the entry of this release, for another delegate. `unverified`: other code at an address that the chains file fixes. */
export type ContractState = "right" | "missing" | "wrong" | "foreign" | "unverified"

export interface ListedToken {
  readonly symbol: string
  readonly address: string
  readonly hasCode: boolean
  readonly decimals: number
  /** Decimals that the contract states. Undefined if it states none, or could not be asked. */
  readonly contractDecimals?: bigint | undefined
}

export interface ContractFacts {
  readonly chain: string
  readonly chainId: number
  /** Addresses of contracts by their field in the chains file. */
  readonly addresses: ReadonlyArray<{ readonly field: string; readonly address: string; readonly hasCode: boolean }>
  readonly tokens: ReadonlyArray<ListedToken>
  /** The service's contracts. */
  readonly contracts: ReadonlyArray<{ readonly name: string; readonly address: string; readonly state: ContractState }>
  readonly isGuardOwnerContract: boolean
  /** Contracts of the first generation, if their guard is deployed and the chain's entry does not name it. */
  readonly unnamedGeneration?: { readonly delegate: string; readonly guard: string; readonly entry: string }
}

const judgeContract = (
  { chain, chainId }: ContractFacts,
  { address, name, state }: ContractFacts["contracts"][number]
): ReadonlyArray<Finding> => {
  const subject = `${chain} ${name}`
  if (state === "right") return []
  if (state === "unverified") return [found(kinds.unverified, subject, `${address} has code`)]
  if (state === "foreign") return [found(kinds.foreign, subject, `the one at ${address}`)]
  return state === "missing"
    ? [found(kinds.missing, subject, `no code at ${address}`, `Run \`./sweep deploy --chain ${chainId}\`.`)]
    : [found(kinds.differs, subject, `other code at ${address}`)]
}

/** Tells the addresses, since the chains file needs them. */
const judgeGenerations = ({ chain, chainId, unnamedGeneration }: ContractFacts): ReadonlyArray<Finding> => {
  if (unnamedGeneration === undefined) return []
  const { delegate, entry, guard } = unnamedGeneration
  const listed = JSON.stringify([{ delegate, guard, entry }])
  const advice = `Set \`priorGuard\` to ${guard} and run \`./sweep deploy --chain ${chainId}\`, or set \`earlierContracts\` to ${listed}.`
  return [found(kinds.unnamedGeneration, `${chain} priorGuard`, `its guard is at ${guard}`, advice)]
}

const judgeToken = (
  chain: string,
  { address, contractDecimals, decimals, hasCode, symbol }: ListedToken
): ReadonlyArray<Finding> => {
  const subject = `${chain} ${symbol}`
  if (!hasCode) return [found(kinds.noTokenCode, subject, `no code at ${address}`)]
  if (contractDecimals === undefined || contractDecimals === BigInt(decimals)) return []
  return [found(kinds.decimals, subject, `${decimals} are listed, and ${address} has ${contractDecimals}`)]
}

export const judge = (facts: ContractFacts): ReadonlyArray<Finding> => {
  const { addresses, chain, contracts, tokens } = facts
  const findings = [
    ...contracts.flatMap((contract) => judgeContract(facts, contract)),
    ...judgeGenerations(facts),
    ...addresses.flatMap(({ address, field, hasCode }) =>
      hasCode ? [] : [found(kinds.noCode, `${chain} ${field}`, `no code at ${address}`)]
    ),
    ...tokens.flatMap((token) => judgeToken(chain, token)),
    ...(facts.isGuardOwnerContract
      ? []
      : [found(kinds.ownerAccount, `${chain} guardOwner`, "the address has no code, or delegates to one")])
  ]
  if (findings.some(({ level }) => level === "error")) return findings
  const seen = `${contracts.length} contracts of the service, ${addresses.length + tokens.length} other addresses`
  return [...findings, found(kinds.well, chain, seen)]
}
