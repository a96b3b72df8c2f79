/**
 * Presses on the button of the plan, one at a time. The user may stop waiting for the wallet, or leave the page by disconnecting it. The
 * wallet's answer then no longer counts.
 */
import type { SweepSigner } from "../../sdk/index.ts"
import { makeTurns } from "../lib/turns.ts"

/** `signing` while the wallet is asked, and `sending` once it has signed. */
export type Stage = "signing" | "sending"

/** The user stopped waiting for the wallet, or left the page. */
export class StoppedWaiting extends Error {
  override readonly name = "StoppedWaiting"
}

export interface Press {
  /** False once the user stopped waiting, or pressed again. */
  readonly isLast: () => boolean
  /** Throws {@link StoppedWaiting} once it is not the last press. */
  readonly check: () => void
  /** Enters a stage, unless it is not the last press. */
  readonly enter: (stage: Stage) => void
  readonly end: () => void
}

/** Makes the presses of a page. `show` gets each stage, which the page may show later than it begins. */
export const makePresses = (show: (stage: Stage | undefined) => void) => {
  const beginTurn = makeTurns()
  let current: Stage | undefined
  let isShown = true
  const set = (stage: Stage | undefined): void => {
    current = stage
    show(stage)
  }
  const stop = (): boolean => {
    if (current !== "signing") return false
    beginTurn()
    set(undefined)
    return true
  }
  return {
    /** Returns the function to call when the page is left. The wallet is asked for nothing after that. */
    mount: (): (() => void) => {
      isShown = true
      return () => {
        isShown = false
        stop()
      }
    },
    /** Begins a press, which asks the wallet first. */
    begin: (): Press => {
      const isLast = beginTurn()
      const check = (): void => {
        if (!isLast()) throw new StoppedWaiting("the user stopped waiting for the wallet")
      }
      set("signing")
      return {
        isLast,
        check,
        enter: (stage) => {
          check()
          if (stage === "signing" && !isShown) throw new StoppedWaiting("the user left the page")
          set(stage)
        },
        end: () => {
          if (isLast()) set(undefined)
        }
      }
    },
    /** Stops waiting for the wallet. False if the wallet is not asked: what it has signed is sent. */
    stop
  }
}

/** The signer, which is asked for nothing more once the press does not count. */
export const signerOf = (signer: SweepSigner, { check }: Pick<Press, "check">): SweepSigner => ({
  address: signer.address,
  signTypedData: async (typedData) => {
    check()
    return signer.signTypedData(typedData)
  },
  // A wallet without EIP-7702 may have no such function, which the client looks for.
  signAuthorization:
    typeof signer.signAuthorization === "function"
      ? async (authorization) => {
          check()
          return signer.signAuthorization(authorization)
        }
      : signer.signAuthorization
})
