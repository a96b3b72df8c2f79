/** Notice that the wallet switched to another account than the signed-in one. */
import { lazy, Suspense, useEffect, useState } from "react"
import { type Address, sameAddress } from "../../sdk/model/Address.ts"
import type { Builder } from "../../domain/Builder.ts"
import { firstAccount, lastUsed, useWallets } from "../wallet/provider.ts"

/** Its script has the checksum of addresses, which is large. */
const OtherAccount = lazy(async () => ({ default: (await import("./OtherAccount.tsx")).OtherAccount }))

/** Current account of the wallet of the sign-in, if the wallet shares it without asking the user. */
const useWalletAccount = (): Address | undefined => {
  const wallet = lastUsed(useWallets())
  const [account, setAccount] = useState<Address>()
  useEffect(() => {
    if (wallet === undefined) return
    const { provider } = wallet
    let isHere = true
    const read = (accounts: unknown) => {
      if (isHere) setAccount(firstAccount(accounts))
    }
    provider.request({ method: "eth_accounts" }).then(read, () => undefined)
    provider.on?.("accountsChanged", read)
    return () => {
      isHere = false
      provider.removeListener?.("accountsChanged", read)
    }
  }, [wallet])
  return account
}

export function WalletChanged({ builder }: { readonly builder: Builder }) {
  const account = useWalletAccount()
  if (account === undefined || sameAddress(account, builder.payoutAddress)) return null
  return (
    <Suspense fallback={null}>
      <OtherAccount account={account} builder={builder} />
    </Suspense>
  )
}
