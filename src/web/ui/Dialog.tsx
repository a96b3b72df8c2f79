/** A modal dialog. The browser's dialog element keeps the focus inside and closes with Escape. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react"

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Closes the dialog by Escape or a click on the backdrop. Absent if its content would be lost. */
  readonly dismissible?: boolean
  readonly children: ReactNode
  readonly actions: ReactNode
}

export function Dialog({ actions, children, dismissible = true, onClose, title }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closed before it leaves the page, so that the focus goes back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      aria-labelledby={id}
      className="m-auto w-[min(30rem,calc(100vw-2rem))] rounded-lg border border-line bg-raised p-0 text-ink shadow-float"
      onCancel={(event) => {
        event.preventDefault()
        if (dismissible) onClose()
      }}
      onClick={(event) => {
        if (dismissible && event.target === event.currentTarget) onClose()
      }}
      ref={dialog}
    >
      <div className="p-5">
        <h2 className="text-lg font-semibold" id={id}>
          {title}
        </h2>
        <div className="mt-2 flex flex-col gap-4">{children}</div>
      </div>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-canvas px-5 py-3">{actions}</div>
    </dialog>
  )
}
