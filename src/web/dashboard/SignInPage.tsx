/** Sign-in of builders. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type ReactNode, useEffect } from "react"
import { deployment, me } from "../api/queries.ts"
import { Brand } from "../ui/Brand.tsx"
import { Notice } from "../ui/States.tsx"
import { ThemeChoice } from "../ui/ThemeChoice.tsx"
import { useSignIn } from "../wallet/useSignIn.ts"
import { ChooseWallet, KeyOnce, SignMessage, SignUp } from "./SignInSteps.tsx"

const REASONS = {
  expired: "Your session has ended. Sign in again to continue.",
  wallet: "Your wallet switched to another account. Sign in with it to see its builder."
} as const

function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto]">
      <header className="flex items-center justify-between px-4 py-4 sm:px-8">
        <Brand area="Builders" />
        <ThemeChoice />
      </header>
      <main className="grid grid-cols-1 place-items-center px-4 py-6">
        <div className="w-full max-w-[27rem]">{children}</div>
      </main>
      <footer className="px-4 py-5 text-center text-sm text-muted">
        Signing in is free, sends no transaction and gives no permission to move funds.
      </footer>
    </div>
  )
}

export function SignInPage() {
  const flow = useSignIn()
  const navigate = useNavigate()
  const { from = "/", reason } = useSearch({ from: "/sign-in" })
  const session = useQuery(me)
  useQuery(deployment)
  const { step } = flow

  useEffect(() => {
    document.title = "Sign in · Sweep"
  }, [])
  // A signed-in builder is redirected, unless the page was opened to change the account.
  const isIn = step.name === "done" || (step.name === "choose" && session.data && reason !== "wallet")
  useEffect(() => {
    if (isIn) void navigate({ to: from, replace: true })
  }, [isIn, from, navigate])

  return (
    <Frame>
      {reason !== undefined && step.name === "choose" && (
        <div className="mb-4">
          <Notice tone="warn">{REASONS[reason]}</Notice>
        </div>
      )}
      <div className="rounded-lg border border-line bg-surface p-5 shadow-card sm:p-7">
        {step.name === "choose" && <ChooseWallet flow={flow} />}
        {step.name === "signIn" && <SignMessage at={step} flow={flow} />}
        {step.name === "signUp" && <SignUp at={step} flow={flow} />}
        {step.name === "key" && <KeyOnce apiKey={step.apiKey} flow={flow} />}
        {step.name === "done" && <p className="text-muted">Signed in. One moment …</p>}
      </div>
    </Frame>
  )
}
