/**
 * A step in which a chain's node has the rules of a public pool, and one owner of a batch has a pending transaction of its own, so that
 * the pool takes no transaction that carries the owner's authorization.
 */
import { Effect, Schedule } from "effect"
import { decodeEventLog, type Hex, parseEther, parseGwei, type PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../src/domain/Address.ts"
import { units } from "../../src/devnet/Tokens.ts"
import { isSend, pass } from "../../test/support/FaultProxy.ts"
import * as PublicPool from "../../test/support/PublicPool.ts"
import { AMOUNT_IN, TOKEN_IN, TOKEN_OUT } from "../Holdings.ts"
import { nothing, settling, type Stage, type Step } from "./Step.ts"

const SWEEPS = 64

/** Times that an owner asks again who got no quote, as many ask at once just after a restart. */
const REPEATS = 3

/** Blocks in which all sweeps but the hostile owner's are mined. */
const BLOCKS = 3

/** Time in which the lanes find the owner and send the others, and in which an alert is raised. */
const SENDING_MILLIS = 60_000

/** Above the longest pause after which a refused owner is tried again. */
const CLEARING_MILLIS = 150_000

/** No lane has so much, so that sweeps are accepted and none is sent. */
const HELD = { MIN_LANE_BALANCE_WEI: String(parseEther("1000000000")) }

/** Every request of every replica to alpha meets the pool until the scope closes. */
const meeting = ({ world }: Stage, pool: PublicPool.PublicPool) =>
  Effect.forEach(
    world.slots,
    ({ alpha }) =>
      Effect.acquireRelease(
        alpha.react((call) => (isSend(call) ? pool.reaction(call) : pass)),
        () => alpha.react(() => pass)
      ),
    { discard: true }
  )

const restarted = ({ world: { slots } }: Stage, env: Readonly<Record<string, string>>) =>
  Effect.forEach(
    slots,
    (slot) =>
      Effect.andThen(
        slot.down,
        Effect.suspend(() => (slot.configure(env), slot.up))
      ),
    { concurrency: "unbounded", discard: true }
  )

/** Sweeps of fresh owners. They are accepted and not sent. */
const submitted = Effect.fnUntraced(function* ({ traffic, world: { alpha, client } }: Stage) {
  const owners = Array.from({ length: SWEEPS }, () => privateKeyToAccount(generatePrivateKey()))
  const answers = yield* Effect.forEach(
    owners,
    Effect.fnUntraced(function* (owner) {
      yield* alpha.dev.fund(Address.of(owner.address), { token: TOKEN_IN, amount: units(TOKEN_IN, BigInt(AMOUNT_IN)) })
      const { url } = traffic.nextSlot()
      const request = { chain: alpha.info, tokenIn: TOKEN_IN, amountIn: AMOUNT_IN, tokenOut: TOKEN_OUT }
      const sweep = yield* Effect.repeat(client.quote(url, owner, request), {
        schedule: Schedule.spaced("1 second"),
        until: (found) => found !== undefined,
        times: REPEATS
      })
      return sweep === undefined ? "without a quote" : yield* client.submit(url, sweep)
    }),
    { concurrency: 8 }
  )
  return { owners, refused: answers.filter((answer) => answer !== "acknowledged") }
})

/** Leaves a transaction of the owner's in the pool. */
const occupy = Effect.fnUntraced(function* (
  { world: { alpha, slots } }: Stage,
  pool: PublicPool.PublicPool,
  owner: PrivateKeyAccount
) {
  yield* pool.withhold(owner.address)
  yield* alpha.dev.node.ask("keep a transaction in the pool", async (node) => {
    await node.setBalance({ address: owner.address, value: parseEther("1") })
    const raw = await owner.signTransaction({
      chainId: node.chain.id,
      type: "eip1559",
      nonce: 0,
      to: owner.address,
      gas: 21_000n,
      maxFeePerGas: parseGwei("2"),
      maxPriorityFeePerGas: 1n
    })
    await fetch(slots[0]?.alpha.url ?? "", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] })
    })
  })
})

/** Owners whose sweeps settled after a height, in lower case. */
const settledSince = ({ world: { alpha } }: Stage, height: bigint) =>
  alpha.dev.node.ask("read the sweeps", async (node): Promise<ReadonlySet<string>> => {
    const logs = await node.getLogs({ address: alpha.info.guard, fromBlock: height + 1n })
    return new Set(
      logs.flatMap(({ data, topics }) => {
        const event = decodeEventLog({ abi: sweepGuard.abi, data, topics })
        return event.eventName === "Swept" ? [event.args.owner.toLowerCase()] : []
      })
    )
  })

const heightOf = ({ world: { alpha } }: Stage) =>
  alpha.dev.node.ask("read the height", (node) => node.getBlockNumber({ cacheTime: 0 }))

/** Everything between the submissions and the settlement of the others, without any block but its own. */
const blocked = Effect.fnUntraced(function* (
  stage: Stage,
  pool: PublicPool.PublicPool,
  owners: ReadonlyArray<PrivateKeyAccount>,
  hostile: PrivateKeyAccount
) {
  yield* occupy(stage, pool, hostile)
  const height = yield* heightOf(stage)
  yield* restarted(stage, {})
  const others = owners.filter((owner) => owner !== hostile).map(({ address }) => address.toLowerCase() as Hex)
  const unsent = Effect.map(pool.accepted, (raws) => {
    const sent = raws.map((raw) => raw.toLowerCase()).join()
    return others.filter((address) => !sent.includes(address.slice(2)))
  })
  const left = yield* settling(unsent, SENDING_MILLIS)
  yield* stage.world.alpha.dev.node.ask("mine", (node) => node.mine({ blocks: BLOCKS }))
  const settled = yield* settledSince(stage, height)
  const missing = others.filter((address) => !settled.has(address))
  return [
    ...(left.length > 0 ? [`${left.length} sweeps were not sent beside a hostile owner`] : []),
    ...(missing.length > 0 ? [`${missing.length} sweeps did not settle within ${BLOCKS} blocks`] : [])
  ]
})

/** Empty while the alert names the owner. */
const unnamed = ({ alarms }: Stage, hostile: PrivateKeyAccount) =>
  Effect.map(alarms.standing, (standing) =>
    standing.some(({ kind, message }) => kind === "owner_blocks_batch" && message.includes(hostile.address))
      ? []
      : [`no alert names ${hostile.address}, whose transaction blocks a batch`]
  )

const uncleared = ({ alarms }: Stage) =>
  Effect.map(alarms.standing, (standing) =>
    standing.some(({ kind }) => kind === "owner_blocks_batch") ? ["the alert stays after the pool took the owner"] : []
  )

export const blockedBatch: Step = {
  name: `an owner who blocks a batch of ${SWEEPS} in a public pool`,
  explains: ({ kind }) => kind === "owner_blocks_batch" || kind.startsWith("lane"),
  mayFail: false,
  play: (stage) =>
    Effect.gen(function* () {
      const pool = yield* PublicPool.make(stage.world.alpha.dev.rpcUrl)
      yield* restarted(stage, HELD)
      const { owners, refused } = yield* submitted(stage)
      const hostile = owners[Math.floor(SWEEPS / 2)]
      if (hostile === undefined || refused.length > 0) {
        yield* restarted(stage, {})
        return {
          ...nothing,
          findings: refused.map((answer) => `a submission beside lanes that send nothing was ${answer}`)
        }
      }
      yield* meeting(stage, pool)
      const findings = yield* stage.miners.alpha.paused(blocked(stage, pool, owners, hostile))
      const silent = yield* settling(unnamed(stage, hostile), SENDING_MILLIS)
      yield* pool.drop(hostile.address)
      const staying = yield* settling(uncleared(stage), CLEARING_MILLIS)
      return { ...nothing, findings: [...findings, ...silent, ...staying] }
    }).pipe(Effect.scoped)
}
