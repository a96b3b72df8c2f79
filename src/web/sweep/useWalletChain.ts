/** The chain that a wallet is on. */
import { useEffect, useState } from "react"
import type { SweepAccount } from "./account.ts"

/** Current chain of the account's wallet. Undefined while unknown, and if it does not matter. */
export const useWalletChain = (account: SweepAccount | null | undefined): number | undefined => {
  const [chainId, setChainId] = useState<number>()
  const chain = account?.chain
  useEffect(() => {
    setChainId(undefined)
    if (chain === undefined) return
    // A change that the wallet tells is newer than its answer to the question.
    let isOpen = true
    chain.current().then(
      (current) => isOpen && setChainId(current),
      () => undefined
    )
    const stop = chain.watch((changed) => {
      isOpen = false
      setChainId(changed)
    })
    return () => {
      isOpen = false
      stop()
    }
  }, [chain])
  return chainId
}
