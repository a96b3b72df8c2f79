// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Stands in for Circle's MessageTransmitterV2, whose bytecode no package has: sends messages in the documented format.
contract TransmitterStandIn {
    uint32 private immutable _DOMAIN;

    event MessageSent(bytes message);

    constructor(uint32 domain) {
        _DOMAIN = domain;
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external {
        require(destinationDomain != _DOMAIN, "Domain is local domain");
        bytes32 sender = bytes32(uint256(uint160(msg.sender)));
        emit MessageSent(abi.encodePacked(
                uint32(1), // version
                _DOMAIN,
                destinationDomain,
                bytes32(0), // nonce
                sender,
                recipient,
                destinationCaller,
                minFinalityThreshold,
                uint32(0), // executed finality
                messageBody
            ));
    }
}

/// @notice Stands in for Circle's TokenMessengerV2: takes the tokens of its caller, and sends the message of the burn. It keeps what
///         the contract burns.
contract MessengerStandIn {
    TransmitterStandIn private immutable _TRANSMITTER;
    bytes32 private immutable _REMOTE;

    constructor(TransmitterStandIn transmitter, address remote) {
        _TRANSMITTER = transmitter;
        _REMOTE = bytes32(uint256(uint160(remote)));
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        require(amount > 0, "Amount must be nonzero");
        require(mintRecipient != bytes32(0), "Mint recipient must be nonzero");
        require(maxFee < amount, "Max fee must be less than amount");
        require(IERC20(burnToken).transferFrom(msg.sender, address(this), amount), "Transfer operation failed");
        bytes memory body = abi.encodePacked(
            uint32(1), // version
            bytes32(uint256(uint160(burnToken))),
            mintRecipient,
            amount,
            bytes32(uint256(uint160(msg.sender))),
            maxFee,
            uint256(0), // executed fee
            uint256(0), // expiration
            hookData
        );
        _TRANSMITTER.sendMessage(destinationDomain, _REMOTE, destinationCaller, minFinalityThreshold, body);
    }
}
