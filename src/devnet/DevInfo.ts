/**
 * `.sweep/dev.json`: the addresses, tokens and accounts of a running local network, for clients, the demo and tests. Its
 * members are a fixed interface. `./sweep dev` prints the rest, such as the vault's key.
 */
import { Schema } from "effect"
import * as Address from "../domain/Address.ts"
import { ChainId } from "../domain/ChainId.ts"
import { Hash } from "../domain/Hex.ts"

const DevToken = Schema.Struct({ address: Address.NonZeroAddress, decimals: Schema.Int })

export const DevChain = Schema.Struct({
  id: ChainId,
  name: Schema.String,
  rpcUrl: Schema.String,
  delegate: Address.NonZeroAddress,
  guard: Address.NonZeroAddress,
  entry: Address.NonZeroAddress,
  feeRecipient: Address.NonZeroAddress,
  spokePool: Address.NonZeroAddress,
  spokePoolPeriphery: Address.NonZeroAddress,
  swapRouter: Address.NonZeroAddress,
  permit2: Address.NonZeroAddress,
  sanctionsOracle: Address.NonZeroAddress,
  tokens: Schema.Record(Schema.String, DevToken)
})
export type DevChain = typeof DevChain.Type

export const DevInfo = Schema.Struct({
  orchestratorUrl: Schema.String,
  builderUrl: Schema.String,
  dashboardUrl: Schema.String,
  orchestratorAdminToken: Schema.String,
  builderAdminToken: Schema.String,
  databaseUrl: Schema.String,
  chains: Schema.Array(DevChain),
  /** Hold every token on every chain. The services never use them. */
  accounts: Schema.Array(Schema.Struct({ address: Address.NonZeroAddress, privateKey: Hash })),
  sanctionedAddress: Address.NonZeroAddress
})
export type DevInfo = typeof DevInfo.Type
