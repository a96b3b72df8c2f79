import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Exit, Result, Schema } from "effect"
import { decodeFunctionData, encodeAbiParameters, erc20Abi } from "viem"
import * as TransferProbe from "../../../src/adapters/risk/TransferProbe.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import type { SimulatedCall, SimulatedStep } from "../../../src/ports/shared/Simulation.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const word = (value: bigint): Hex => encodeAbiParameters([{ type: "uint256" }], [value])
const did = (returnData: Hex, success = true): SimulatedCall => ({ success, returnData, gasUsed: 50_000n })

describe("TransferProbe.judge", () => {
  const transfer = { token: FakeChain.address(1), amount: 100n }
  const observed = (changes: Partial<TransferProbe.Observation> = {}): TransferProbe.Observation => ({
    ownerBefore: did(word(150n)),
    recipientBefore: did(word(7n)),
    moved: did(word(1n)),
    recipientAfter: did(word(107n)),
    ownerAfter: did(word(50n)),
    ...changes
  })
  const verdict = (changes: Partial<TransferProbe.Observation>) =>
    Result.match(TransferProbe.judge(transfer, observed(changes)), {
      onFailure: (error) => error.reason,
      onSuccess: (takenBps) => (takenBps === 0 ? "sound" : `${takenBps} basis points`)
    })

  it("accepts true, a longer answer that begins with true, and silence", () => {
    for (const returnData of [word(1n), `${word(1n)}${"00".repeat(32)}`, "0x"] as const) {
      assert.strictEqual(verdict({ moved: did(returnData) }), "sound")
    }
  })

  it("takes false, other words and short answers for failures", () => {
    for (const returnData of [word(0n), word(2n), "0x01"] as const) {
      assert.strictEqual(verdict({ moved: did(returnData) }), "transfer_fails")
    }
    assert.strictEqual(verdict({ moved: did("0x", false) }), "transfer_fails")
  })

  it("measures what the recipient lacks, and declines what the owner loses beyond, down to one unit", () => {
    assert.strictEqual(verdict({ recipientAfter: did(word(106n)) }), "100 basis points")
    assert.strictEqual(verdict({ recipientAfter: did(word(8n)) }), "9900 basis points")
    assert.strictEqual(verdict({ ownerAfter: did(word(49n)) }), "transfer_taxed")
    assert.strictEqual(verdict({ recipientAfter: did(word(7n)) }), "transfer_taxed")
    assert.strictEqual(verdict({ recipientAfter: did(word(0n)) }), "transfer_taxed")
  })

  it("wants one word for a balance", () => {
    for (const bad of [did("0x"), did(word(150n), false), did("0x01"), did(`0x${"11".repeat(64)}`)]) {
      for (const which of ["ownerBefore", "recipientBefore", "recipientAfter", "ownerAfter"] as const) {
        assert.strictEqual(verdict({ [which]: bad }), "not_a_token")
      }
    }
  })

  it("names a missing balance before a failed transfer", () => {
    assert.strictEqual(verdict({ ownerBefore: did(word(99n)), moved: did("0x", false) }), "insufficient_balance")
  })

  const Units = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 128n }))

  it.prop("takes no more for arrived than arrives", [Units, Units, Units, Units], ([amount, before, tax, extra]) => {
    const ownerBefore = amount + extra + before
    const outcome = TransferProbe.judge(
      { token: transfer.token, amount },
      {
        ownerBefore: did(word(ownerBefore)),
        recipientBefore: did(word(before)),
        moved: did("0x"),
        recipientAfter: did(word(before + (tax > amount ? 0n : amount - tax))),
        ownerAfter: did(word(ownerBefore - amount))
      }
    )
    if (amount === 0n) return Result.isSuccess(outcome)
    if (Result.isFailure(outcome)) return tax >= amount
    return lessBps(amount, outcome.success) <= amount - tax && (outcome.success === 0) === (tax === 0n)
  })
})

describe("probes of one owner", () => {
  const OWNER = FakeChain.address(0xa)
  const tokens = Array.makeBy(20, (index) => FakeChain.address(0x40 + index))
  const [thief, prey] = [FakeChain.address(0x40), FakeChain.address(0x41)]
  const recipients = [FakeChain.address(0xb), FakeChain.address(0xc)]

  /** A chain whose tokens move in full. One takes another from the owner as soon as it is moved, and `thief` names it. */
  const chain = (options: { readonly refuses?: string; readonly thief?: string } = {}) => {
    const simulated: Array<ReadonlyArray<string>> = []
    const simulate: ChainClient["simulate"] = (steps) => {
      const moved = steps.flatMap((step) => ("from" in step ? [step.to] : []))
      simulated.push(moved)
      if (options.refuses !== undefined && moved.some((token) => token === options.refuses)) {
        return Effect.fail(new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "out of time" }))
      }
      const balances = new Map<string, bigint>()
      const balanceAt = (token: string, account: string) =>
        balances.get(`${token} ${account}`) ?? (account === OWNER ? 10n : 0n)
      const run = ({ data, to }: SimulatedStep): SimulatedCall => {
        const { args, functionName } = decodeFunctionData({ abi: erc20Abi, data })
        if (functionName === "balanceOf") return did(word(balanceAt(to, args[0])))
        if (functionName !== "transfer") return did("0x", false)
        const [recipient, amount] = args
        if (balanceAt(to, OWNER) < amount) return did("0x", false)
        balances.set(`${to} ${recipient}`, balanceAt(to, recipient) + amount)
        balances.set(`${to} ${OWNER}`, balanceAt(to, OWNER) - amount)
        if (to === options.thief) balances.set(`${prey} ${OWNER}`, 0n)
        return did(word(1n))
      }
      return Effect.succeed(steps.map(run))
    }
    return { client: { ...FakeChain.client({ simulate }) }, simulated }
  }

  const outcomes = (client: ChainClient) => {
    const probe = TransferProbe.make()
    return Effect.forEach(
      tokens.flatMap((token) => recipients.map((recipient) => ({ token, recipient }))),
      (each) => Effect.exit(probe(client, { ...each, owner: OWNER, amount: 10n, sender: undefined })),
      { concurrency: "unbounded" }
    )
  }

  it.effect("share simulations, in which each token is moved once", () =>
    Effect.gen(function* () {
      const { client, simulated } = chain()
      const exits = yield* outcomes(client)
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.deepStrictEqual(
        simulated.map((moved) => moved.length),
        [8, 8, 4, 8, 8, 4]
      )
      for (const moved of simulated) assert.strictEqual(new Set(moved).size, moved.length)
    })
  )

  it.effect("are simulated alone if the node refuses one of them, and only that one fails", () =>
    Effect.gen(function* () {
      const { client } = chain({ refuses: prey })
      const exits = yield* outcomes(client)
      const failed = exits.flatMap((exit, index) => (Exit.isFailure(exit) ? [Math.floor(index / 2)] : []))
      assert.deepStrictEqual(failed, [1, 1])
    })
  )

  it.effect("are simulated alone if one of them takes another", () =>
    Effect.gen(function* () {
      const { client } = chain({ thief })
      assert.isTrue((yield* outcomes(client)).every(Exit.isSuccess))
    })
  )
})
