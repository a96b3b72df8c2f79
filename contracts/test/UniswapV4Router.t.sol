// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { DevFeeToken } from "../src/dev/DevFeeToken.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { IUniswapV4PoolManager } from "../src/interfaces/IUniswapV4PoolManager.sol";
import { IUniswapV4Router } from "../src/interfaces/IUniswapV4Router.sol";
import { HostileHook } from "./mocks/HostileHook.sol";
import { ICoin } from "./support/Deployed.sol";
import { IPoolModifyLiquidityTest, UniswapV4Scene } from "./support/UniswapV4Scene.sol";

/// @notice The router on the published PoolManager, with ordinary and hostile pools.
contract UniswapV4RouterTest is UniswapV4Scene {
    /// @dev Bits of `beforeSwap`, `afterSwap`, and of the amounts that they return.
    address payable private constant HOOK = payable(address(uint160(0x4444 << 144 | 0xcc)));

    address private immutable recipient = makeAddr("recipient");
    address private immutable payer = makeAddr("payer");

    function setUp() public {
        _scene();
        vm.etch(HOOK, type(HostileHook).runtimeCode);
        HostileHook(HOOK).set(address(manager), 0, 0);
        _open(address(coin), address(other), HOOK, 10_000_000e18);
        coin.mint(payer, 10 * AMOUNT);
        vm.deal(payer, 10 * AMOUNT);
        vm.startPrank(payer);
        coin.approve(address(router), type(uint256).max);
        weth.deposit{ value: 5 * AMOUNT }();
        weth.approve(address(router), type(uint256).max);
        vm.stopPrank();
    }

    function test_TokenForToken() public {
        uint256 out = _run(_direct());
        assertEq(other.balanceOf(recipient), out);
        assertEq(coin.balanceOf(payer), 9 * AMOUNT);
        assertGt(out, AMOUNT * 99 / 100);
    }

    function test_TokenForNative() public {
        uint256 out = _run(_swapOf(address(coin), address(0), AMOUNT, recipient, _one(address(0))));
        assertEq(recipient.balance, out);
    }

    function test_TokenForWrapped() public {
        uint256 out = _run(_swapOf(address(coin), address(weth), AMOUNT, recipient, _one(address(0))));
        assertEq(weth.balanceOf(recipient), out);
    }

    function test_TokenForNativeThroughAPoolOfTheWrapped() public {
        address[] memory path = _two(address(other), address(weth));
        uint256 out = _run(_swapOf(address(coin), address(0), AMOUNT, recipient, path));
        assertEq(recipient.balance, out);
    }

    function test_WrappedForTokenThroughAPoolOfTheNative() public {
        IUniswapV4Router.ExactInput memory swap =
            _swapOf(address(weth), address(coin), AMOUNT, recipient, _one(address(coin)));
        swap.unwrapsInput = true;
        uint256 out = _run(swap);
        assertEq(coin.balanceOf(recipient), out);
        assertEq(weth.balanceOf(payer), 4 * AMOUNT);
    }

    function test_WrappedForTokenThroughItsOwnPool() public {
        uint256 out = _run(_swapOf(address(weth), address(other), AMOUNT, recipient, _one(address(other))));
        assertEq(other.balanceOf(recipient), out);
    }

    function test_NativeAsAHop() public {
        _open(address(0), address(other), address(0), 10_000_000e18);
        uint256 out = _run(_swapOf(address(coin), address(other), AMOUNT, recipient, _two(address(0), address(other))));
        assertEq(other.balanceOf(recipient), out);
    }

    /// @dev A token that another contract left synced would make the payment of native currency revert.
    function test_NativeIsPaidAlthoughATokenIsSynced() public {
        HostileHook(HOOK).setCall(address(0), "");
        manager.sync(address(other));
        IUniswapV4Router.ExactInput memory swap =
            _swapOf(address(weth), address(coin), AMOUNT, recipient, _one(address(coin)));
        swap.unwrapsInput = true;
        _run(swap);
    }

    function testFuzz_AnyAmountInBothDirections(uint256 amount, bool forward) public {
        amount = bound(amount, 1000, 1_000_000e18);
        (ICoin from, ICoin to) = forward ? (coin, other) : (other, coin);
        from.mint(payer, amount);
        uint256 before = from.balanceOf(payer);
        vm.prank(payer);
        from.approve(address(router), amount);
        uint256 out = _run(_swapOf(address(from), address(to), amount, recipient, _one(address(to))));
        assertEq(before - from.balanceOf(payer), amount);
        assertEq(to.balanceOf(recipient), out);
        assertLt(out, amount);
    }

    /// @dev Whatever a hook charges, the payer pays exactly the input, and the recipient gets the least output or nothing happens.
    function testFuzz_HooksCannotChangeTheTerms(uint256 inputShare, uint256 outputShare, uint256 least) public {
        HostileHook(HOOK).set(address(manager), bound(inputShare, 0, 10_000), bound(outputShare, 0, 10_000));
        IUniswapV4Router.ExactInput memory swap = _hooked();
        swap.minAmountOut = bound(least, 1, AMOUNT);
        vm.prank(payer);
        try router.exactInput(swap) returns (uint256 out) {
            assertGe(out, swap.minAmountOut);
            assertEq(other.balanceOf(recipient), out);
            assertEq(coin.balanceOf(payer), 9 * AMOUNT);
        } catch {
            assertEq(coin.balanceOf(payer), 10 * AMOUNT);
            assertEq(other.balanceOf(recipient), 0);
        }
        _assertRouterIsEmpty();
    }

    function test_AHookThatTakesAllIsRefused() public {
        HostileHook(HOOK).set(address(manager), 0, 10_000);
        _refused(_hooked(), abi.encodeWithSelector(IUniswapV4Router.InexactSwap.selector));
    }

    function test_AHookThatTakesTooMuchIsRefused() public {
        IUniswapV4Router.ExactInput memory swap = _hooked();
        vm.prank(payer);
        swap.minAmountOut = router.exactInput(swap);
        HostileHook(HOOK).set(address(manager), 100, 0);
        vm.expectPartialRevert(IUniswapV4Router.InsufficientOutput.selector);
        vm.prank(payer);
        router.exactInput(swap);
    }

    /// @dev The victim allows the router everything, and the hook swaps in its name in the middle of another swap.
    function test_AHookCannotEnterTheRouter() public {
        IUniswapV4Router.ExactInput memory theft = _direct();
        theft.recipient = HOOK;
        bytes[3] memory attempts = [
            abi.encodeCall(router.exactInput, (theft)),
            abi.encodeCall(router.unlockCallback, (abi.encode(payer, theft))),
            abi.encodeCall(router.unlockCallback, (""))
        ];
        for (uint256 i; i < attempts.length; ++i) {
            HostileHook(HOOK).setCall(address(router), attempts[i]);
            _run(_hooked());
            assertFalse(HostileHook(HOOK).succeeded());
            assertEq(coin.balanceOf(HOOK), 0);
            assertEq(other.balanceOf(HOOK), 0);
        }
        assertEq(coin.balanceOf(payer), 7 * AMOUNT);
    }

    /// @dev A credit that nobody takes would stay in the PoolManager.
    function test_AGiftOfAHookRevertsTheSwap() public {
        coin.mint(HOOK, 1);
        HostileHook(HOOK).setCall(HOOK, abi.encodeCall(HostileHook.give, (address(coin), 1, address(router))));
        _refused(_hooked(), abi.encodeWithSignature("CurrencyNotSettled()"));
    }

    function test_OnlyThePoolManagerCallsBack() public {
        bytes memory data = abi.encode(payer, _direct());
        vm.expectRevert(IUniswapV4Router.Unauthorized.selector);
        router.unlockCallback(data);
        vm.expectRevert(IUniswapV4Router.Unauthorized.selector);
        vm.prank(payer);
        router.unlockCallback(data);
    }

    /// @dev A contract that holds the lock itself cannot make the router swap for an account that allowed it to.
    function test_AnotherHolderOfTheLockCannotUseAllowances() public {
        Intruder intruder = new Intruder(address(manager));
        bytes memory data = abi.encode(payer, _direct());
        intruder.run(address(router), abi.encodeCall(router.unlockCallback, (data)));
        IUniswapV4Router.ExactInput memory swap = _direct();
        intruder.run(address(router), abi.encodeCall(router.exactInput, (swap)));
        assertFalse(intruder.succeeded());
        assertEq(coin.balanceOf(payer), 10 * AMOUNT);
        // With its own lock, the router takes the tokens of its caller, who has none.
        vm.expectRevert();
        vm.prank(address(intruder));
        router.exactInput(swap);
    }

    function test_RefusesNativeCurrencyOfStrangers() public {
        (bool ok,) = address(router).call{ value: 1 }("");
        assertFalse(ok);
    }

    function test_RefusesMalformedTerms() public {
        IUniswapV4Router.ExactInput memory swap = _direct();
        swap.deadline = block.timestamp - 1;
        _refused(swap, abi.encodeWithSelector(IUniswapV4Router.Expired.selector));

        swap = _direct();
        swap.amountIn = 0;
        _refused(swap, abi.encodeWithSelector(IUniswapV4Router.BadAmount.selector));
        swap.amountIn = 1 << 127;
        _refused(swap, abi.encodeWithSelector(IUniswapV4Router.BadAmount.selector));

        swap = _direct();
        swap.recipient = address(router);
        _refused(swap, abi.encodeWithSelector(IUniswapV4Router.BadRecipient.selector));

        _refused(
            _swapOf(address(coin), address(coin), AMOUNT, recipient, _none()),
            abi.encodeWithSelector(IUniswapV4Router.BadPath.selector)
        );

        address[3] memory ends = [address(weth), address(0), address(coin)];
        for (uint256 i; i < ends.length; ++i) {
            swap = _direct();
            swap.tokenOut = ends[i];
            _refused(swap, abi.encodeWithSelector(IUniswapV4Router.BadPath.selector));
        }

        swap = _direct();
        swap.unwrapsInput = true;
        _refused(swap, abi.encodeWithSelector(IUniswapV4Router.BadPath.selector));

        swap = _direct();
        swap.hops[0].fee = 500;
        _refused(swap, abi.encodeWithSignature("PoolNotInitialized()"));
    }

    function test_BelowTheMinimumReverts() public {
        uint256 snapshot = vm.snapshotState();
        uint256 out = _run(_direct());
        vm.revertToState(snapshot);
        IUniswapV4Router.ExactInput memory swap = _direct();
        swap.minAmountOut = out + 1;
        _refused(swap, abi.encodeWithSelector(IUniswapV4Router.InsufficientOutput.selector, out));
        swap.minAmountOut = out;
        assertEq(_run(swap), out);
    }

    /// @dev The pool has liquidity for a part of the amount only.
    function test_APartialSwapReverts() public {
        ICoin shallow = _coin("SHALLOW");
        shallow.mint(address(this), 1e30);
        shallow.approve(address(liquidity), type(uint256).max);
        _open(address(coin), address(shallow), address(0), 1e18, SPACING);
        _refused(
            _swapOf(address(coin), address(shallow), AMOUNT, recipient, _one(address(shallow))),
            abi.encodeWithSelector(IUniswapV4Router.InexactSwap.selector)
        );
    }

    function test_ATokenWithATransferFeeReverts() public {
        DevFeeToken fot = new DevFeeToken("FEE", "FEE", 100);
        fot.mint(payer, AMOUNT);
        vm.prank(payer);
        fot.approve(address(router), AMOUNT);
        _refused(
            _swapOf(address(fot), address(other), AMOUNT, recipient, _one(address(other))),
            abi.encodeWithSelector(IUniswapV4Router.InputNotReceived.selector)
        );
    }

    function test_SweepAndItsGas() public {
        _deploy(address(weth), _one(address(router)), _none());
        _delegate(owner, address(delegate));
        coin.mint(feeRecipient, 1);
        coin.mint(builder, 1);
        other.mint(owner, 1);
        string[4] memory names = ["", "direct", "two pools", "to native"];
        uint256[4] memory bars = [type(uint256).max, 160_000, 200_000, 145_000];
        _open(address(0), address(other), address(0), 10_000_000e18);
        // The pools have traded before, and the first sweep begins a word of nonces.
        _run(_swapOf(address(coin), address(other), AMOUNT, recipient, _two(address(0), address(other))));
        for (uint256 i; i < 4; ++i) {
            coin.mint(owner, AMOUNT);
            SweepOrder memory order = _order(i);
            bytes memory signature = _sign(order, ownerKey);
            ISweepDelegate(owner).execute(order, signature);
            uint256 gas = vm.lastCallGas().gasTotalUsed;
            if (i > 0) vm.snapshotValue("Gas", string.concat("Uniswap v4, ", names[i]), gas);
            assertLt(gas, bars[i]);
            assertEq(coin.balanceOf(owner), 0);
            assertEq(coin.allowance(owner, address(router)), 0);
            _assertRouterIsEmpty();
        }
    }

    function test_SweepToSomeoneElseReverts() public {
        _deploy(address(weth), _one(address(router)), _none());
        _delegate(owner, address(delegate));
        coin.mint(owner, AMOUNT);
        SweepOrder memory order = _order(0);
        order.destination = makeAddr("destination");
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InsufficientOutput.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    /// @dev Over one pool; with index 2 over two, and with index 3 to native currency.
    function _order(uint256 index) private view returns (SweepOrder memory) {
        address[] memory path =
            index == 2 ? _two(address(0), address(other)) : _one(index == 3 ? address(0) : address(other));
        address to = path[path.length - 1];
        IUniswapV4Router.ExactInput memory swap = _swapOf(address(coin), to, AMOUNT - 7e18, owner, path);
        return SweepOrder({
            owner: owner,
            tokenIn: address(coin),
            amountIn: AMOUNT,
            feeAmount: 5e18,
            builder: builder,
            builderFee: 2e18,
            tokenOut: to == address(0) ? NATIVE : to,
            minAmountOut: AMOUNT * 98 / 100,
            destination: owner,
            swapTarget: address(router),
            swapCalldata: abi.encodeCall(router.exactInput, (swap)),
            deadline: block.timestamp + 600,
            nonce: _nonce(index),
            destChainId: block.chainid
        });
    }

    function _direct() private view returns (IUniswapV4Router.ExactInput memory) {
        return _swapOf(address(coin), address(other), AMOUNT, recipient, _one(address(other)));
    }

    function _hooked() private view returns (IUniswapV4Router.ExactInput memory swap) {
        swap = _direct();
        swap.hops[0].hooks = HOOK;
    }

    function _run(IUniswapV4Router.ExactInput memory swap) private returns (uint256 out) {
        vm.prank(payer);
        out = router.exactInput(swap);
        _assertRouterIsEmpty();
    }

    function _refused(IUniswapV4Router.ExactInput memory swap, bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(payer);
        router.exactInput(swap);
    }
}

/// @notice Holds the PoolManager's lock and calls the router meanwhile.
contract Intruder {
    address private immutable _manager;
    address private _target;
    bytes private _call;
    bool public succeeded;

    constructor(address manager) {
        _manager = manager;
    }

    function run(address target, bytes calldata call_) external {
        (_target, _call) = (target, call_);
        IUniswapV4PoolManager(_manager).unlock("");
    }

    function unlockCallback(bytes calldata) external returns (bytes memory) {
        (bool ok,) = _target.call(_call);
        succeeded = succeeded || ok;
        return "";
    }
}
