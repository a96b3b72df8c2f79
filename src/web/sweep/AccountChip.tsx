/** The connected account and the disconnect button. */
import { Address } from "../ui/Address.tsx"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { useSession } from "./session.ts"

export function AccountChip({ disconnect }: { readonly disconnect: (() => void) | undefined }) {
  const { account } = useSession()
  return (
    <div className="flex h-11 items-center gap-2.5 rounded-full border border-line bg-surface pr-1.5 pl-2 shadow-card">
      {account.icon === undefined ? (
        <span className="grid size-7 place-items-center rounded-full bg-accent-soft text-accent">
          <Icon name={account.kind === "key" ? "key" : "wallet"} size={14} />
        </span>
      ) : (
        <img alt="" className="size-7 rounded-full" height={28} src={account.icon} width={28} />
      )}
      <span className="sr-only">Connected by {account.name}: </span>
      <Address label="your address" value={account.address} />
      {disconnect !== undefined && (
        <Button
          aria-label="Disconnect"
          className="rounded-full"
          onClick={disconnect}
          small
          title={`Disconnect ${account.name}`}
          variant="quiet"
        >
          <Icon name="logout" />
        </Button>
      )}
    </div>
  )
}
