/**
 * `.sweep/dev.json`: the addresses, tokens and accounts of a running local network, for clients, the demo and tests. Its
 * members are a fixed interface. `./sweep dev` prints the rest, such as the vault's key.
 */
import { Schema } from "effect"
import * as Address from "../domain/Address.ts"
import { ChainId } from "../domain/ChainId.ts"
import { Hash } from "../domain/Hex.ts"
import { VenueFamily } from "../domain/Venue.ts"

const DevToken = Schema.Struct({ address: Address.NonZeroAddress, decimals: Schema.Int })

/** Router of an exchange that the guard may list. Clients that review orders choose the reader of its calls by the family. */
const DevVenue = Schema.Struct({ name: Schema.String, family: VenueFamily, router: Address.NonZeroAddress })

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
  /** Contract of Across that swaps on arrival. */
  multicallHandler: Schema.optionalKey(Address.NonZeroAddress),
  /** Exchanges beside `swapRouter`. Absent in files of earlier versions. */
  venues: Schema.optionalKey(Schema.Array(DevVenue)),
  permit2: Address.NonZeroAddress,
  sanctionsOracle: Address.NonZeroAddress,
  tokens: Schema.Record(Schema.String, DevToken)
})
export type DevChain = typeof DevChain.Type

/** The replayable market of `./sweep dev --market`. */
export const DevMarket = Schema.Struct({
  seed: Schema.Int,
  /** Server that plays the outside HTTP services. A path begins with the host of the service. */
  servicesUrl: Schema.String,
  chains: Schema.Array(
    Schema.Struct({
      id: ChainId,
      /** Catalogue that the chain is shaped like. */
      shape: Schema.String,
      venues: Schema.Array(Schema.String),
      tokens: Schema.Array(
        Schema.Struct({
          address: Address.NonZeroAddress,
          symbol: Schema.String,
          decimals: Schema.Int,
          kind: Schema.String,
          isListed: Schema.Boolean,
          /** Amount to sweep, in the smallest unit. */
          amount: Schema.String,
          /** Exchange and other token of each pool, with the US dollars on each side. */
          pools: Schema.Array(Schema.Struct({ venue: Schema.String, money: Schema.String, usd: Schema.Finite }))
        })
      )
    })
  )
})
export type DevMarket = typeof DevMarket.Type

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
  sanctionedAddress: Address.NonZeroAddress,
  /** Absent without a market. */
  market: Schema.optionalKey(DevMarket)
})
export type DevInfo = typeof DevInfo.Type
