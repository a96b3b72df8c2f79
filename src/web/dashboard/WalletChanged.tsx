/** Notice that the wallet switched to another account than the signed-in one. */
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import type { Address } from "../../sdk/model/Address.ts"
import type { Builder } from "../../domain/Builder.ts"
import { shorten } from "../lib/shorten.ts"
import { buttonClasses } from "../ui/Button.tsx"
import { Notice } from "../ui/States.tsx"
import { firstAccount, lastUsed, useWallets } from "../wallet/provider.ts"

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
  if (account === undefined || account === builder.payoutAddress) return null
  return (
    <div className="mb-5">
      <Notice
        action={
          <Link className={buttonClasses("secondary", true)} search={{ reason: "wallet" }} to="/sign-in">
            Sign in with it
          </Link>
        }
        tone="warn"
      >
        Your wallet is on {shorten(account)}, and you are signed in as {shorten(builder.payoutAddress)}.
      </Notice>
    </div>
  )
}
