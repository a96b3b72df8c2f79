/** Local chains on EDR, the node of Hardhat: one process each, with the EVM of the Prague upgrade (EIP-7702). */
import { fileURLToPath } from "node:url"
import { execPath } from "node:process"
import { Effect, Option, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { DETERMINISTIC_DEPLOYER, DETERMINISTIC_DEPLOYER_CODE } from "../adapters/evm/contracts/Deployment.ts"
import * as LocalNode from "./LocalNode.ts"
import * as Subprocess from "./Subprocess.ts"

/** Starts a chain that mines each transaction immediately. The node stops when the scope closes. */
export const start = Effect.fn("Edr.start")(function* ({
  chainId,
  port
}: LocalNode.LocalNodeOptions): Effect.fn.Return<
  LocalNode.LocalNode,
  Subprocess.SubprocessFailed | LocalNode.DevChainFailed,
  Scope.Scope | ChildProcessSpawner.ChildProcessSpawner
> {
  const running = yield* Subprocess.start({
    name: "edr",
    command: execPath,
    args: [
      fileURLToPath(new URL("EdrServer.ts", import.meta.url)),
      String(chainId),
      String(port ?? 0),
      String(LocalNode.BLOCK_GAS_LIMIT)
    ],
    ready: (line) => Option.fromNullishOr(/^Listening on (\S+)$/.exec(line)?.[1])
  })
  const node = LocalNode.of(chainId, running, "hardhat")
  // anvil has it from the first block. On public chains a presigned transaction deployed it.
  yield* node.ask("install the deterministic deployer", (client) =>
    client.setCode({ address: DETERMINISTIC_DEPLOYER, bytecode: DETERMINISTIC_DEPLOYER_CODE })
  )
  return node
})
