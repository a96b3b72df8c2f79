/** A chains file for the local network, as an operator would write one. */
import { Effect, FileSystem, Path } from "effect"
import type { DevChain } from "../../src/devnet/DevChain.ts"

/**
 * Writes the file into a directory of its own and returns its path. `rpcUrl` says where each chain's node is reached, and
 * `broadcastUrl` where transactions are sent to instead.
 */
export const write = Effect.fnUntraced(function* (
  chains: ReadonlyArray<DevChain>,
  rpcUrl: (chain: DevChain) => string | ReadonlyArray<string>,
  broadcastUrl?: (chain: DevChain) => string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "sweep-chains-" }), "chains.json")
  const entries = chains.map((dev) => ({
    ...dev.chain,
    rpcUrls: [rpcUrl(dev)].flat(),
    ...(broadcastUrl === undefined ? {} : { broadcastUrls: [broadcastUrl(dev)] }),
    // Part of the computed addresses, which `contracts` overrides.
    guardOwner: dev.deployer.address
  }))
  yield* fs.writeFileString(file, JSON.stringify(entries))
  return file
})
