package chat.fanfare.mobile;

import java.util.Locale;
import java.util.Set;

/**
 * Decides what the app's window loads, as `desktop/src/navigation.rs` does: pages of the chosen server, and during a single
 * sign-on those of the provider. Has no classes of Android, so that it runs anywhere.
 */
final class Navigation {

    enum Decision {
        LOAD,
        OUTSIDE,
        REFUSE
    }

    /** A login at another site takes no longer than its cookie lives. */
    static final long SIGN_ON_MS = 10 * 60 * 1000;

    private static final Set<String> OUTSIDE = Set.of("https", "http", "mailto", "tel");

    private String server;
    private long signOnEndsMs;

    /** @param origin scheme, host and port, as `isOrigin` accepts it; null: the chooser */
    void choose(String origin) {
        server = origin;
        signOnEndsMs = 0;
    }

    /** @param authority host, and port if the URL has one */
    Decision decide(String scheme, String authority, String path, long nowMs) {
        String lower = scheme == null ? "" : scheme.toLowerCase(Locale.ROOT);
        String origin = lower + "://" + (authority == null ? "" : authority.toLowerCase(Locale.ROOT));
        if (origin.equals(server)) {
            followSignOn(path == null ? "" : path, nowMs);
            return Decision.LOAD;
        }
        if (server != null && nowMs < signOnEndsMs && lower.equals("https")) return Decision.LOAD;
        return OUTSIDE.contains(lower) ? Decision.OUTSIDE : Decision.REFUSE;
    }

    private void followSignOn(String path, long nowMs) {
        if (path.equals("/auth/oidc/start")) signOnEndsMs = nowMs + SIGN_ON_MS;
        else if (!path.startsWith("/auth/")) signOnEndsMs = 0;
    }

    /** The form in which the chooser hands over servers. Phones only use encrypted ones. */
    static boolean isOrigin(String text) {
        return text != null && text.matches("https://(?:[a-z0-9.-]{1,253}|\\[[0-9a-f:.]+\\])(?::[0-9]{1,5})?");
    }

    /** A path of the server, which cannot lead to another one. */
    static boolean isPath(String text) {
        return text != null && text.length() <= 500 && text.matches("/(?:[^/\\\\\\s].*)?");
    }
}
