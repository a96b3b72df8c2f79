/** Says that the wallet is on another account than the signed-in one. */
import { Link } from "@tanstack/react-router"
import { getAddress } from "viem"
import type { Builder } from "../../domain/Builder.ts"
import type { Address } from "../../sdk/model/Address.ts"
import { shorten } from "../lib/shorten.ts"
import { buttonClasses } from "../ui/Button.tsx"
import { Notice } from "../ui/States.tsx"

export function OtherAccount({ account, builder }: { readonly account: Address; readonly builder: Builder }) {
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
        Your wallet is on {shorten(getAddress(account))}, and you are signed in as {shorten(builder.payoutAddress)}.
      </Notice>
    </div>
  )
}
