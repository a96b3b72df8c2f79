/** Local chains on Foundry's anvil: one process each, with the EVM of the Prague upgrade (EIP-7702). */
import { Effect, Option, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import * as Foundry from "./Foundry.ts"
import * as LocalNode from "./LocalNode.ts"
import * as Subprocess from "./Subprocess.ts"

/** Number of recent blocks whose state can be read. Only a reconciliation after a restore looks back further. */
const STATES_KEPT = 512

/** Starts a chain that mines each transaction immediately. The node stops when the scope closes. */
export const start = Effect.fn("Anvil.start")(function* ({
  chainId,
  port,
  statesKept = STATES_KEPT
}: LocalNode.LocalNodeOptions): Effect.fn.Return<
  LocalNode.LocalNode,
  Subprocess.SubprocessFailed | LocalNode.DevChainFailed,
  Scope.Scope | ChildProcessSpawner.ChildProcessSpawner
> {
  const running = yield* Subprocess.start({
    name: "anvil",
    command: yield* Foundry.binary("anvil"),
    args: [
      "--host=127.0.0.1",
      `--port=${port ?? 0}`,
      `--chain-id=${chainId}`,
      "--hardfork=prague",
      `--gas-limit=${LocalNode.BLOCK_GAS_LIMIT}`,
      // Older states would be written to the home directory, gigabytes of them, and stay there if the node is killed.
      `--prune-history=${statesKept}`,
      // The network funds its own accounts. The keys of Anvil's default accounts are public, and others may have delegated them.
      "--accounts=0"
    ],
    // With port 0, the node chooses its port and prints it in the line that announces readiness.
    ready: (line) => Option.fromNullishOr(/^Listening on (\S+)$/.exec(line)?.[1])
  })
  const node = LocalNode.of(chainId, running, "anvil")
  yield* node.ask("turn off logging", (client) => client.setLoggingEnabled(false))
  return node
})
