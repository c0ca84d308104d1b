package chat.fanfare.mobile;

import chat.fanfare.mobile.Navigation.Decision;

/**
 * Tests what the app's window loads, without Android: `javac -d /tmp/navigation web/shells/mobile/NavigationTest.java
 * web/shells/mobile/overlay/android/Navigation.java && java -cp /tmp/navigation chat.fanfare.mobile.NavigationTest`.
 */
final class NavigationTest {

    private static final String HOST = "chat.example.com";
    private static final String PROVIDER = "login.example.org";

    public static void main(String[] arguments) {
        loadsOnlyTheChosenServer();
        loadsTheProviderDuringSignOn();
        acceptsOrigins();
        acceptsPaths();
        System.out.println("4 passed, 0 failed");
    }

    private static void loadsOnlyTheChosenServer() {
        Navigation navigation = chosen();
        check(Decision.LOAD, navigation.decide("https", HOST, "/login", 0));
        check(Decision.LOAD, navigation.decide("HTTPS", "Chat.Example.com", "/", 0));
        for (String authority : new String[] { HOST + ":8443", "ada@" + HOST, HOST + ".evil.example", PROVIDER })
            check(Decision.OUTSIDE, navigation.decide("https", authority, "/", 0));
        check(Decision.OUTSIDE, navigation.decide("http", HOST, "/", 0));
        check(Decision.OUTSIDE, navigation.decide("mailto", null, null, 0));
        for (String scheme : new String[] { "file", "intent", "javascript", "content", null })
            check(Decision.REFUSE, navigation.decide(scheme, HOST, "/", 0));
        navigation.choose(null);
        check(Decision.OUTSIDE, navigation.decide("https", HOST, "/", 0));
    }

    private static void loadsTheProviderDuringSignOn() {
        Navigation navigation = chosen();
        navigation.decide("https", HOST, "/auth/oidc/start", 0);
        check(Decision.LOAD, navigation.decide("https", PROVIDER, "/", 1));
        check(Decision.OUTSIDE, navigation.decide("http", PROVIDER, "/", 1));
        check(Decision.OUTSIDE, navigation.decide("https", PROVIDER, "/", Navigation.SIGN_ON_MS));
        navigation.decide("https", HOST, "/auth/oidc/callback", 2);
        check(Decision.LOAD, navigation.decide("https", PROVIDER, "/", 3));
        navigation.decide("https", HOST, "/login", 4);
        check(Decision.OUTSIDE, navigation.decide("https", PROVIDER, "/", 5));
    }

    private static void acceptsOrigins() {
        for (String text : new String[] { "https://" + HOST, "https://[::1]:3000", "https://localhost:3000" })
            check(true, Navigation.isOrigin(text));
        for (String text : new String[] { null, "", "http://a", "https://a/", "https://*.a", "https://u@a", "https://a b" })
            check(false, Navigation.isOrigin(text));
    }

    private static void acceptsPaths() {
        for (String text : new String[] { "/", "/inbox", "/groups/a?message=b" }) check(true, Navigation.isPath(text));
        for (String text : new String[] { null, "", "//evil.example", "/\\evil.example", "inbox", "https://a", "/ a" })
            check(false, Navigation.isPath(text));
    }

    private static Navigation chosen() {
        Navigation navigation = new Navigation();
        navigation.choose("https://" + HOST);
        return navigation;
    }

    private static void check(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected " + expected + ", found " + found);
    }
}
