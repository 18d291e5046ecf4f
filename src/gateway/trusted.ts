import { quote } from '../config/quote.ts';
import { ConfigError } from '../config.ts';
import { type Documents, loadManifest, ManifestError } from '../document/trusted.ts';
import type { HostLogger } from '../telemetry/host-logger.ts';

/** Reads the manifest at the start. Null: any document may run. Throws ConfigError. */
export function loadTrusted(path: string | null): Documents | null {
  if (path === null) return null;
  try {
    return loadManifest(path);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new ConfigError(
      `TRUSTED_DOCUMENTS="${quote(path)}": takes the path of a manifest of documents; ${error.message}`,
    );
  }
}

/** Reads the manifest again, and gives it to `use`. A broken one is logged, and not used. */
export function loadAgain(
  path: string | null,
  log: HostLogger,
  use: (documents: Documents) => void,
): void {
  if (path === null) return;
  try {
    const documents = loadManifest(path);
    use(documents);
    log.info({ documents: documents.length / 2 }, 'the manifest was read again');
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    log.error(
      { cause: error.message },
      'the new manifest cannot be used, the old one stays in force',
    );
  }
}
