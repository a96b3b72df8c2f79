/** Creation code of the third-party contracts of a market. */
import { Effect } from "effect"
import * as Network from "../Artifacts.ts"
import * as UniswapV4 from "../UniswapV4.ts"

export interface Artifacts extends Network.Artifacts {
  readonly v4: UniswapV4.Artifacts
}

/** Reads all artifacts. A missing one means a broken installation, which is a defect. */
export const load: Effect.Effect<Artifacts> = Effect.zipWith(Network.load, UniswapV4.load, (others, v4) => ({
  ...others,
  v4
}))
