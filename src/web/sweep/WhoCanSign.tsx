/** Explains which wallets can sign a sweep and why others cannot. It has no external links or resources. */
import type { ReactNode } from "react"
import { Banner } from "./Banner.tsx"
import { useSession } from "./session.ts"

const KINDS: ReadonlyArray<readonly [name: string, text: string]> = [
  [
    "Wallets inside an app",
    "that signed you in by e-mail, passkey or phone: those made with Privy, Turnkey, Dynamic and the like."
  ],
  ["Wallets that offer it", "some browser wallets ask for this signature. If yours does, it is detected."],
  [
    "Accounts whose key a program holds",
    "local accounts of viem and ethers, or an account that was exported into one of them."
  ]
]

export function WhoCanSign({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="flex flex-col gap-3">
      <p>
        A sweep costs you no gas because your account delegates to a contract. You allow that with a signature called an
        EIP-7702 authorization, once for each chain. Most browser wallets, MetaMask among them, do not let a website ask
        for it.
      </p>
      {children}
      <div>
        <p className="font-medium text-ink">These can</p>
        <ul className="mt-1.5 flex list-disc flex-col gap-1.5 pl-5">
          {KINDS.map(([name, text]) => (
            <li key={name}>
              <span className="font-medium text-ink">{name}</span>, {text}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** Notice that the connected wallet cannot sign an authorization. */
export function CannotAuthorize() {
  const { account } = useSession()
  return (
    <Banner tone="warn">
      <p className="font-medium">{account.name} cannot sign a sweep</p>
      <details className="mt-1 text-ink">
        <summary className="rounded-sm text-sm font-medium underline underline-offset-2">
          Why, and which wallets can
        </summary>
        <div className="mt-2 text-sm">
          <WhoCanSign />
        </div>
      </details>
    </Banner>
  )
}
