/** The local network for tests: two chains with everything deployed, in about a second. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Context, Layer } from "effect"
import * as Network from "../../src/devnet/Network.ts"
import { withLiveClock } from "./LiveClock.ts"

export class TestNetwork extends Context.Service<TestNetwork, Network.Network>()("sweep/test/TestNetwork") {
  /** Mines each transaction at once. With `blockSeconds` it mines at that interval instead. */
  static layer(options: Network.NetworkOptions = {}): Layer.Layer<TestNetwork> {
    return Layer.effect(TestNetwork, withLiveClock(Network.start(options))).pipe(
      Layer.provide(BunServices.layer),
      Layer.orDie
    )
  }
}
