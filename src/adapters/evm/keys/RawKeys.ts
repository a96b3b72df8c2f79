/** `RelayerKeys` with private keys in this process. */
import { Array, Effect, type Layer, type Redacted } from "effect"
import type { Hex } from "../../../domain/Hex.ts"
import type { RelayerKeys } from "../../../ports/orchestrator/RelayerKeys.ts"
import { inProcess } from "./KeyAccount.ts"
import * as LaneKeys from "./LaneKeys.ts"
import * as RawKey from "./RawKey.ts"

/** Lanes of private keys (32 bytes, 0x-prefixed hex), in their order. */
export const layer = (
  keys: Array.NonEmptyReadonlyArray<Redacted.Redacted<Hex>>
): Layer.Layer<RelayerKeys, LaneKeys.BadRelayerKey> =>
  LaneKeys.layer(Array.map(keys, (key) => Effect.map(RawKey.account(key), inProcess)))
