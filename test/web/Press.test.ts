/** A press on the button of the plan, and the end of the wait for the wallet. */
import { assert, describe, it } from "vitest"
import type { SweepSigner } from "../../src/sdk/index.ts"
import { makePresses, signerOf, type Stage, StoppedWaiting } from "../../src/web/sweep/press.ts"

const presses = () => {
  const shown: Array<Stage | undefined> = []
  return { shown, ...makePresses((stage) => void shown.push(stage)) }
}

describe("a press on the button", () => {
  it("goes from the wallet to the service, and ends", () => {
    const { begin, shown } = presses()
    const { end, enter } = begin()
    enter("sending")
    end()
    assert.deepStrictEqual(shown, ["signing", "sending", undefined])
  })

  it("that the user stopped goes no further, and changes nothing that a later one shows", () => {
    const { begin, shown, stop } = presses()
    const first = begin()
    assert.isTrue(stop())
    assert.throws(first.check, StoppedWaiting)
    const second = begin()
    assert.throws(() => first.enter("sending"), StoppedWaiting)
    first.end()
    assert.deepStrictEqual(shown, ["signing", undefined, "signing"])
    assert.isTrue(second.isLast())
    assert.isFalse(first.isLast())
  })

  it("is not stopped once it is sent, also before the page shows so", () => {
    const { begin, shown, stop } = presses()
    const press = begin()
    press.enter("sending")
    assert.isFalse(stop())
    assert.isTrue(press.isLast())
    assert.deepStrictEqual(shown, ["signing", "sending"])
    press.end()
    assert.isFalse(stop(), "there is no press")
  })

  it("can be stopped again while the wallet is asked for renewed quotes", () => {
    const { begin, stop } = presses()
    const press = begin()
    press.enter("sending")
    press.enter("signing")
    assert.isTrue(stop())
    assert.throws(press.check, StoppedWaiting)
  })
})

describe("a page that is left", () => {
  it("stops waiting for the wallet, so that a late signature is not sent", () => {
    const { begin, mount, shown } = presses()
    const leave = mount()
    const press = begin()
    leave()
    assert.throws(() => press.enter("sending"), StoppedWaiting)
    assert.isFalse(press.isLast())
    assert.deepStrictEqual(shown, ["signing", undefined])
  })

  it("lets a sweep that is being sent end, and asks the wallet for nothing more", () => {
    const { begin, mount } = presses()
    const leave = mount()
    const press = begin()
    press.enter("sending")
    leave()
    assert.isTrue(press.isLast())
    assert.throws(() => press.enter("signing"), StoppedWaiting)
  })

  it("asks the wallet as before once it is shown again", () => {
    const { begin, mount, shown } = presses()
    mount()()
    mount()
    const press = begin()
    press.enter("sending")
    press.enter("signing")
    assert.deepStrictEqual(shown, ["signing", "sending", "signing"])
  })
})

describe("the signer of a press", () => {
  const signed = `0x${"1b".repeat(65)}` as const
  const typedData = {} as Parameters<SweepSigner["signTypedData"]>[0]
  const authorization = { address: `0x${"a".repeat(40)}`, chainId: 1, nonce: 0 } as const

  /** A wallet whose answers come when a test says so. */
  const wallet = () => {
    const asked: Array<string> = []
    const answer = Promise.withResolvers<void>()
    const signer: SweepSigner = {
      address: `0x${"b".repeat(40)}`,
      signTypedData: async () => {
        asked.push("typed data")
        await answer.promise
        return signed
      },
      signAuthorization: async () => {
        asked.push("authorization")
        return { r: signed, s: signed, yParity: 0 }
      }
    }
    return { asked, answer: answer.resolve, signer }
  }

  it("asks for all signatures while nobody stops", async () => {
    const { answer, asked, signer } = wallet()
    const ofPress = signerOf(signer, presses().begin())
    assert.strictEqual(ofPress.address, signer.address)
    answer()
    await ofPress.signTypedData(typedData)
    await ofPress.signAuthorization(authorization)
    assert.deepStrictEqual(asked, ["typed data", "authorization"])
  })

  it("asks for no authorization once the user stopped waiting for the signature before it", async () => {
    const { answer, asked, signer } = wallet()
    const { begin, stop } = presses()
    const ofPress = signerOf(signer, begin())
    const first = ofPress.signTypedData(typedData)
    stop()
    answer()
    await first
    const refused = await ofPress.signAuthorization(authorization).catch((error: unknown) => error)
    assert.instanceOf(refused, StoppedWaiting)
    const again = await ofPress.signTypedData(typedData).catch((error: unknown) => error)
    assert.instanceOf(again, StoppedWaiting)
    assert.deepStrictEqual(asked, ["typed data"])
  })

  it("lacks what the wallet lacks", () => {
    const { signAuthorization: _, ...without } = wallet().signer
    assert.isUndefined(signerOf(without as SweepSigner, presses().begin()).signAuthorization)
  })
})
