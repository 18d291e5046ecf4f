import { SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';

/** A touch screen would open its keyboard over half of the conversation. */
const HAS_KEYBOARD = matchMedia('(hover: hover)').matches;

interface ComposerProps {
  /** What there is to edit. */
  readonly text?: string;
  onSend(text: string): void;
  onCancel?(): void;
}

/** Enter sends, Shift and Enter make a new line, Escape leaves. */
export function Composer({ text = '', onSend, onCancel }: ComposerProps) {
  const [draft, setDraft] = useState(text);
  const isEmpty = draft.trim() === '';

  function send() {
    if (isEmpty) return;
    onSend(draft.trim());
    setDraft('');
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onCancel?.();
    // While a word is composed, as in Japanese, Enter accepts it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <form className="composer" action={send}>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: whoever opens a conversation wants to write
        autoFocus={HAS_KEYBOARD || text !== ''}
        rows={1}
        placeholder="Write a message …"
        enterKeyHint="send"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" title={onCancel ? 'Save' : 'Send'} disabled={isEmpty}>
        <SendHorizontal size={19} />
      </button>
    </form>
  );
}
