/** Causes of alerts that a deployment on this machine can show, and their ends. */
import { Effect } from "effect"
import type { Hex } from "viem"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import type { AlertKind } from "../../src/domain/AlertKind.ts"
import type { Scene } from "./Drill.ts"
import * as Setup from "./Setup.ts"

/** EIP-7702 designator of some contract. */
const DESIGNATOR: Hex = `0xef0100${"ab".repeat(20)}`

/** Time without a block, and without an answer, that is worth an alert, in seconds. */
const STALE_SECONDS = 30
const SILENT_SECONDS = 10

/** Seconds between blocks of a chain. 0: no blocks. */
const mining = ({ node }: DevChain, interval: number) =>
  node.ask("change the interval of blocks", (client) => client.setIntervalMining({ interval }))

const code = ({ node }: DevChain, address: Hex, bytecode: Hex) =>
  node.ask("change code", (client) => client.setCode({ address, bytecode }))

/** Sends a signal to all processes of a node. */
const signal = ({ node }: DevChain, name: "SIGSTOP" | "SIGCONT") => Effect.sync(() => process.kill(-node.pid, name))

/** Alerts of a chain's operation, each provoked, told and resolved. Returns their kinds. */
export const provoked = Effect.fnUntraced(function* (scene: Scene) {
  const {
    alarms,
    all: [alpha, beta],
    lanes,
    shell: { output }
  } = scene
  const lane = lanes[1]!
  const limited = (kind: AlertKind, name: string, wei: string) =>
    alarms.provoked(
      kind,
      output(`sweep operate limits set --chain 31337 --limit ${name} --wei ${wei}`),
      output(`sweep operate limits clear --chain 31337 --limit ${name}`)
    )
  const oracle = alpha.chain.sanctionsOracle
  const oracleCode = yield* alpha.node.ask("read code", (client) => client.getCode({ address: oracle }))

  const kinds = [
    yield* alarms.provoked("lane_low", Setup.fund(alpha, lane, 1n), Setup.fund(alpha, lane, Setup.LANE_MONEY)),
    yield* alarms.provoked("lane_delegated", code(alpha, lane, DESIGNATOR), code(alpha, lane, "0x")),
    yield* limited("spend_cap", "dailySpendCapWei", "0"),
    yield* limited("fee_limit", "maxFeePerGasWei", "1"),
    yield* alarms.provoked("screening_unavailable", code(alpha, oracle, "0x"), code(alpha, oracle, oracleCode ?? "0x")),
    yield* alarms.provoked("chain_stale", mining(alpha, 0), mining(alpha, Setup.BLOCK_SECONDS), STALE_SECONDS),
    yield* alarms.provoked("chain_unavailable", signal(beta, "SIGSTOP"), signal(beta, "SIGCONT"), SILENT_SECONDS)
  ]
  yield* scene.traffic.more(6)
  return kinds.join(", ")
})
