import { assert, describe, it } from "@effect/vitest"
import * as Generations from "../../src/domain/Generations.ts"
import { bound } from "../../src/domain/OrderNonce.ts"
import { address } from "../support/FakeChain.ts"

const contractsAt = (first: number) => ({
  delegate: address(first),
  guard: address(first + 1),
  entry: address(first + 2)
})

const [current, second, oldest] = [contractsAt(0x30), contractsAt(0x20), contractsAt(0x10)]
const chain = { contracts: current, earlierContracts: [second, oldest] }

describe("Generations", () => {
  it("are told apart by the guard that a nonce names", () => {
    for (const index of [0n, 1n, 300n, 2n ** 128n - 1n]) {
      assert.deepStrictEqual(Generations.ofNonce(chain, bound(current.guard, index)), current)
      assert.deepStrictEqual(Generations.ofNonce(chain, bound(second.guard, index)), second)
    }
  })

  it("give a nonce that names no guard to the oldest", () => {
    assert.deepStrictEqual(Generations.ofNonce(chain, 0n), oldest)
    assert.deepStrictEqual(Generations.ofNonce(chain, 2n ** 128n - 1n), oldest)
    assert.deepStrictEqual(Generations.ofNonce({ contracts: current }, 7n), current)
    assert.deepStrictEqual(Generations.ofNonce({ contracts: current, earlierContracts: [] }, 7n), current)
  })

  it("know the contracts of each nonce that names one of their guards or none", () => {
    for (const [nonce, contracts] of [
      [bound(current.guard, 7n), current],
      [bound(second.guard, 7n), second],
      [bound(oldest.guard, 7n), oldest],
      [7n, oldest]
    ] as const) {
      assert.deepStrictEqual(Generations.known(chain, nonce), contracts)
      assert.isTrue(Generations.isKnown(chain, nonce))
    }
    assert.deepStrictEqual(Generations.known({ contracts: current }, 7n), current)
  })

  it("know nothing about a nonce of another guard, and send its order to the current contracts, which refuse it", () => {
    const nonce = bound(address(0x99), 0n)
    assert.isUndefined(Generations.known(chain, nonce))
    assert.isFalse(Generations.isKnown(chain, nonce))
    assert.deepStrictEqual(Generations.ofNonce(chain, nonce), current)
    assert.deepStrictEqual(Generations.guardsOf(chain, nonce), [])
    for (const { guard } of Generations.all(chain)) {
      assert.isFalse(Generations.isRefusedBy({ ...chain, priorGuard: oldest.guard }, [guard], nonce, false))
    }
    // Also the guard of a generation that the settings no longer name.
    assert.isFalse(Generations.isKnown({ contracts: current }, bound(second.guard, 7n)))
  })

  it("take the current contracts for their own if they are among the earlier ones too", () => {
    const listed = { contracts: current, earlierContracts: [current] }
    assert.strictEqual(Generations.known(listed, bound(current.guard, 7n)), listed.contracts)
    assert.deepStrictEqual(Generations.guardsOf(listed, bound(current.guard, 7n)), [current.guard])
  })

  it("tell the end of the guard's address that a nonce names", () => {
    const end = Generations.guardEnd(bound(second.guard, 7n))
    assert.strictEqual(end.length, 32)
    assert.isTrue(second.guard.toLowerCase().endsWith(end))
    assert.strictEqual(Generations.guardEnd(bound(address(0x01), 7n)), address(0x01).slice(-32))
  })

  it("settle what names their guard, and the oldest settles all", () => {
    assert.deepStrictEqual(Generations.guardsOf(chain, bound(current.guard, 7n)), [current.guard, oldest.guard])
    assert.deepStrictEqual(Generations.guardsOf(chain, bound(second.guard, 7n)), [second.guard, oldest.guard])
    assert.deepStrictEqual(Generations.guardsOf(chain, 7n), [oldest.guard])
    assert.deepStrictEqual(Generations.guardsOf({ contracts: current }, bound(current.guard, 7n)), [current.guard])
  })

  describe("refuse", () => {
    const asking = { ...chain, priorGuard: oldest.guard }
    const nonce = bound(current.guard, 7n)

    it("a leg whose nonce is used at its own guard, and no other", () => {
      assert.isTrue(Generations.isRefusedBy(asking, [current.guard], nonce, true))
      assert.isTrue(Generations.isRefusedBy(asking, [oldest.guard, current.guard], nonce, true))
      assert.isFalse(Generations.isRefusedBy(asking, [oldest.guard], nonce, true))
      assert.isFalse(Generations.isRefusedBy(asking, [second.guard], nonce, true))
    })

    it("a single order that neither its own generation nor the first would run", () => {
      assert.isTrue(Generations.isRefusedBy(asking, [current.guard, oldest.guard], nonce, false))
      // The current delegate asks the first guard too.
      assert.isTrue(Generations.isRefusedBy(asking, [oldest.guard], nonce, false))
      // The first delegate does not ask the current guard.
      assert.isFalse(Generations.isRefusedBy(asking, [current.guard], nonce, false))
      assert.isFalse(Generations.isRefusedBy(asking, [current.guard, second.guard], nonce, false))
      assert.isFalse(Generations.isRefusedBy(asking, [], nonce, false))
    })

    it("a single order of an earlier generation that is used at both guards, since its delegate may ask no other", () => {
      const earlier = bound(second.guard, 7n)
      assert.isTrue(Generations.isRefusedBy(asking, [second.guard, oldest.guard], earlier, false))
      assert.isFalse(Generations.isRefusedBy(asking, [oldest.guard], earlier, false))
      assert.isFalse(Generations.isRefusedBy(asking, [second.guard], earlier, false))
      assert.isFalse(Generations.isRefusedBy(chain, [oldest.guard], nonce, false))
    })

    it("an order of the first generation that is used there", () => {
      for (const isLeg of [true, false]) assert.isTrue(Generations.isRefusedBy(asking, [oldest.guard], 7n, isLeg))
    })

    it("a single order of the only generation that is used there", () => {
      assert.isTrue(Generations.isRefusedBy({ contracts: current }, [current.guard], nonce, false))
    })
  })
})
