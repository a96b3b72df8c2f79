/** Warns of chains that the bridge serves and that share no asset with another chain. */
import { Effect } from "effect"
import { isolated } from "../domain/Assets.ts"
import type { Chain } from "../domain/Chain.ts"

/** Logs a warning for each of them. */
export const hints = (chains: ReadonlyArray<Pick<Chain, "assets" | "name" | "spokePool">>) =>
  Effect.forEach(
    isolated(chains),
    ({ name }) =>
      Effect.annotateLogs(Effect.logWarning("chain.no_assets"), {
        chain: name,
        detail: "no token can be bridged from or to the chain: name its tokens in `assets` in the chains file"
      }),
    { discard: true }
  )
