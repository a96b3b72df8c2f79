/** The accounts of the local network. Their keys are public, so they are worth nothing anywhere else. */
import { bytesToHex, keccak256, stringToHex } from "viem"
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts"
import * as Address from "../domain/Address.ts"
import type { Hash } from "../domain/Hex.ts"

export interface DevAccount {
  readonly address: Address.Address
  readonly privateKey: Hash
}

/** Mnemonic of the users' accounts, to import into a wallet. The services and the network use none of these accounts. */
export const USER_MNEMONIC = "comic rug screen appear cycle witness click there remind nut twice pride"

const USERS = 12

const fromKey = (privateKey: Hash): DevAccount => ({
  privateKey,
  address: Address.of(privateKeyToAccount(privateKey).address)
})

const roles = new Map<string, DevAccount>()

/** An account of the network, named by its role. It is derived once. */
const role = (name: string): DevAccount => {
  const known = roles.get(name)
  if (known !== undefined) return known
  const account = fromKey(keccak256(stringToHex(`token sweep local network: ${name}`)))
  roles.set(name, account)
  return account
}

let derivedUsers: ReadonlyArray<DevAccount> | undefined

/** The accounts at m/44'/60'/0'/0/i of {@link USER_MNEMONIC}, as wallets show them. */
export const users = (): ReadonlyArray<DevAccount> => {
  derivedUsers ??= deriveUsers()
  return derivedUsers
}

/** Takes longer than everything else that sets a chain up. */
const deriveUsers = (): ReadonlyArray<DevAccount> => {
  const parent = mnemonicToAccount(USER_MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey()
  return Array.from({ length: USERS }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (privateKey === null) throw new Error("a key derived from a private one has a private key")
    return fromKey(bytesToHex(privateKey))
  })
}

/** Sets a chain up and owns its contracts. Each chain has its own, so that addresses differ between chains. */
export const deployer = (chainName: string): DevAccount => role(`deployer of ${chainName}`)

/** Sends a part of the transactions that set up the market of a chain (`market/Plan.ts`). */
export const marketMaker = (chainName: string, part: number): Address.Address =>
  role(`market maker ${part} of ${chainName}`).address

/** The relayer's lanes. */
export const relayers = (): readonly [DevAccount, ...ReadonlyArray<DevAccount>] => [
  role("relayer 1"),
  role("relayer 2")
]

export const filler = (): DevAccount => role("filler")

/** Sanctioned on every chain from the start. */
export const sanctioned = (): Address.Address => role("sanctioned").address

/** Receives protocol fees. */
export const feeRecipient = (): DevAccount => role("fee recipient")

/** Owns the builder that the local network registers. */
export const builder = (): DevAccount => role("builder")

/** Receives the fees of builders in payout mode `ledger`, and pays them out. */
export const builderVault = (): DevAccount => role("builder vault")
